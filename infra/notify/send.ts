import type { Notice } from '../../domain/notify/message.ts';
import type { Sink, SinkOf, SinkType } from '../../domain/notify/sink.ts';
import { command } from './command.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { file } from './file.ts';
import { redact } from './redact.ts';
import type { Outgoing, SinkAdapter, SinkContext } from './sink-adapter.ts';
import { slack } from './slack.ts';
import { webhook } from './webhook.ts';

/** Adapters of all kinds of sinks. */
const ADAPTERS: { [Type in SinkType]: SinkAdapter<SinkOf<Type>> } = { webhook, slack, discord, email, command, file };

/** Longest time for sending one message, in ms. A command has its own limit. */
const LIMIT_MS = 20_000;

/** Makes a notice ready for a sink. Throws SinkError if a secret is missing. */
export const prepare = (sink: Sink, notice: Notice, context: SinkContext): Promise<Outgoing> =>
  // The table pairs each type with its adapter; the compiler only sees unions.
  (ADAPTERS[sink.type] as SinkAdapter<Sink>)(sink, notice, context);

/** Result of a try: the sink's answer, or the failure. Both in words, without secrets. */
export type Sent = { ok: true; answer: string } | { ok: false; error: string };

/** Sends a notice to a sink. Never throws. */
export async function sendNotice(
  sink: Sink,
  notice: Notice,
  { signal, ...context }: SinkContext & { signal: AbortSignal },
): Promise<Sent> {
  const limitMs = sink.type === 'command' ? (sink.seconds + 5) * 1000 : LIMIT_MS;
  let secrets: readonly string[] = [];
  try {
    const answer = await within({ limitMs, signal }, async (both) => {
      const outgoing = await prepare(sink, notice, context);
      secrets = outgoing.secrets;
      return outgoing.send(both);
    });
    return { ok: true, answer: redact(answer, secrets) };
  } catch (error) {
    return { ok: false, error: redact(messageOf(error), secrets) };
  }
}

/** Limits work, even work that ignores its signal: a sink that hangs must not keep the others waiting. */
async function within(
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  const limit = AbortSignal.timeout(limitMs);
  const both = AbortSignal.any([signal, limit]);
  const why = (): Error =>
    new Error(limit.aborted ? `no answer within ${limitMs / 1000} s` : 'it was stopped with the worker');
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(why());
    if (both.aborted) stop();
    else both.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([stopped, work(both)]);
  } catch (error) {
    throw both.aborted ? why() : error;
  } finally {
    both.removeEventListener('abort', stop);
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, name } = error;
  const code = (error as NodeJS.ErrnoException).code;
  // An error of several addresses has no message of its own.
  if (error instanceof AggregateError && message === '') return error.errors.map(messageOf).join('; ');
  if (message === '') return code ?? name;
  return message;
}
