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
  let secrets: readonly string[] = [];
  try {
    const outgoing = await prepare(sink, notice, context);
    secrets = outgoing.secrets;
    return { ok: true, answer: redact(await sendWithin(outgoing, sink, signal), secrets) };
  } catch (error) {
    return { ok: false, error: redact(messageOf(error), secrets) };
  }
}

function sendWithin(outgoing: Outgoing, sink: Sink, signal: AbortSignal): Promise<string> {
  const limit = AbortSignal.timeout(sink.type === 'command' ? (sink.seconds + 5) * 1000 : LIMIT_MS);
  return outgoing.send(AbortSignal.any([signal, limit])).catch((error: unknown) => {
    throw limit.aborted ? new Error(`no answer within ${LIMIT_MS / 1000} s`) : error;
  });
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
