import { applySinks, type SinkChange } from '../../db/notify/apply-sinks.ts';
import { readResearchesOf } from '../../db/notify/read-sinks.ts';
import { secretPlace } from '../../domain/notify/secret.ts';
import type { Sink } from '../../domain/notify/sink.ts';
import { configOf, withDb } from '../context.ts';
import { printJson, printLine, printNote, type Io } from '../io.ts';
import { readNotify } from './read-notify.ts';

/** Makes the sinks of a notify.yaml those that get messages. */
export async function apply(io: Io, file: string, { json }: { json?: boolean }): Promise<void> {
  const notify = await readNotify(file);
  const { changes, ...applied } = await withDb(io, (db) => applySinks(db, notify));
  for (const name of applied.removed) await noteResearches(io, name);
  const { env } = configOf(io);
  for (const name of missingVariables(notify.sinks, env))
    printNote(
      io,
      `! ${name} is not set in this terminal. If the worker was started without it, too, set it, then run ` +
        'npx perpetua down and npx perpetua up',
    );
  if (json) return printJson(io, applied);
  for (const [change, names] of Object.entries<string[]>({ ...applied }))
    if (names.length > 0) printLine(io, `${change}: ${names.join(', ')}`);
  for (const change of changes) for (const line of differences(change)) printLine(io, `  ${line}`);
  if (notify.sinks.length === 0) printNote(io, `${file} names no sink, so nobody gets messages`);
  else printNote(io, 'To send a test message to each sink: npx perpetua notify test');
}

/** Prints which researches named a sink that is gone. */
export async function noteResearches(io: Io, sink: string): Promise<void> {
  const researches = await withDb(io, (db) => readResearchesOf(db, sink));
  if (researches.length > 0)
    printNote(io, `! ${sink} is gone, and these researches named it (start --notify): ${researches.join(', ')}`);
}

/** Keys that changed, with the value before and after. The places of secrets are no secrets. */
function differences({ name, before, after }: SinkChange): string[] {
  const [old, now]: Record<string, unknown>[] = [{ ...before }, { ...after }];
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return keys
    .filter((key) => text(old?.[key]) !== text(now?.[key]))
    .map((key) => `${name}.${key}: ${text(old?.[key])} → ${text(now?.[key])}`);
}

/** Variables with secrets that an environment lacks. */
function missingVariables(sinks: readonly Sink[], env: Readonly<Partial<Record<string, string>>>): string[] {
  const values = sinks.flatMap((sink): unknown[] => Object.values(sink));
  const variables = values.flatMap((value) => {
    const place = typeof value === 'string' ? secretPlace(value) : null;
    return place !== null && 'variable' in place ? [place.variable] : [];
  });
  return [...new Set(variables)].filter((name) => !env[name]);
}
