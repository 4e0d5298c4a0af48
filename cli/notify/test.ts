import { randomUUID } from 'node:crypto';
import { toolEnv } from '../../config/child-env.ts';
import { readSinks } from '../../db/notify/read-sinks.ts';
import type { Notice } from '../../domain/notify/message.ts';
import type { Sink } from '../../domain/notify/sink.ts';
import { prepare, sendNotice } from '../../infra/notify/send.ts';
import type { SinkContext } from '../../infra/notify/sink-adapter.ts';
import { configOf, withDb } from '../context.ts';
import { CliError } from '../errors.ts';
import { printJson, printLine, printNote, type Io } from '../io.ts';
import { requireSinks } from './require-sinks.ts';

interface Options {
  dryRun?: boolean;
  json?: boolean;
}

/** Result of a test of one sink. `shown`: what is sent, without secrets. */
interface Tested {
  sink: string;
  ok: boolean | null;
  shown: string[];
  answer: string | null;
  error: string | null;
}

/** Shows what a test message is, sends it from this terminal, and prints the answer of each sink. */
export async function test(io: Io, name: string | undefined, { dryRun = false, json }: Options): Promise<void> {
  const sinks = await withDb(io, (db) => (name === undefined ? readSinks(db) : requireSinks(db, [name])));
  if (sinks.length === 0)
    printNote(io, 'There is no sink. Write a notify.yaml (docs/guides/messages.md), then apply it');
  const tested: Tested[] = [];
  for (const { spec } of sinks) {
    if (spec === null) continue;
    const result = await testOne(io, spec, dryRun);
    tested.push(result);
    if (!json) for (const line of describe(result)) printLine(io, line);
  }
  const failed = tested.filter(({ ok }) => ok === false).map(({ sink }) => sink);
  if (failed.length > 0)
    throw new CliError('failed', `These sinks did not take the message: ${failed.join(', ')}`, { result: { tested } });
  if (json) printJson(io, { tested });
}

async function testOne(io: Io, spec: Sink, dryRun: boolean): Promise<Tested> {
  const config = configOf(io);
  const context: SinkContext = { env: config.env, commandEnv: toolEnv(config), now: new Date() };
  const notice = testNotice(spec.name, context.now);
  const tested: Tested = { sink: spec.name, ok: null, shown: [], answer: null, error: null };
  try {
    tested.shown = (await prepare(spec, notice, context)).shown;
  } catch (error) {
    return { ...tested, ok: false, error: error instanceof Error ? error.message : String(error) };
  }
  if (dryRun) return tested;
  const sent = await sendNotice(spec, notice, { ...context, signal: io.signal ?? new AbortController().signal });
  return sent.ok ? { ...tested, ok: true, answer: sent.answer } : { ...tested, ok: false, error: sent.error };
}

const testNotice = (sink: string, now: Date): Notice => ({
  id: randomUUID(),
  kind: 'test',
  sink,
  at: now.toISOString(),
  title: 'a test message of Perpetua',
  lines: ['Messages of your researches will arrive here.'],
  commands: ['npx perpetua notify list'],
  researches: [],
});

function describe({ sink, ok, shown, answer, error }: Tested): string[] {
  const lines = [`${sink}:`, ...shown.map((line) => `  ${line}`)];
  if (ok === null) return [...lines, '  not sent (--dry-run)'];
  return [...lines, ok ? `  taken: ${answer ?? ''}` : `  not taken: ${error ?? ''}`];
}
