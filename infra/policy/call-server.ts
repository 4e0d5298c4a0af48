import type { z } from 'zod';
import { withDeadline } from '../llm/deadline.ts';
import { answerError, type AnswerContext, malformedError, parse, transportError } from './errors.ts';
import { exchangeOverSocket, isServerAbsent, type Answer, type Call } from './socket-exchange.ts';
import type { ServerPaths } from './server-paths.ts';

/** Waits until a server answers at a place; starts it where none does. */
export type StartServer = (place: ServerPaths, signal: AbortSignal) => Promise<void>;

export interface ServerRequest<T> extends AnswerContext {
  place: ServerPaths;
  call: Call;
  schema: z.ZodType<T>;
}

/** One request, its answer checked. Throws PolicyError, or the socket's error. */
export async function callServer<T>(question: ServerRequest<T>, signal: AbortSignal): Promise<T> {
  return parseServerAnswer(question, await exchangeOverSocket(question.place.socket, question.call, signal));
}

/** Throws PolicyError where it is no answer of the contract. */
export function parseServerAnswer<T>(question: ServerRequest<T>, answer: Answer): T {
  const { what, schema } = question;
  if (answer.status !== 200) throw answerError(what, answer);
  const read = schema.safeParse(parse(answer.text));
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw malformedError(question, `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, answer.text);
}

/**
 * Work that asks a server, within `seconds`, in which its start does not count; where no server listens, one is started, and
 * the work begins again. Throws PolicyError, or the signal's reason.
 */
export async function withServer<T>(
  start: StartServer,
  {
    place,
    seconds = null,
    work,
    ...lost
  }: { place: ServerPaths; seconds?: number | null; work: Work<T> } & AnswerContext,
  signal: AbortSignal,
): Promise<T> {
  const limited = () => (seconds === null ? work(signal) : withDeadline(work, { seconds, signal }));
  try {
    return await limited().catch(async (error: unknown) => {
      if (!isServerAbsent(error)) throw error;
      await start(place, signal);
      return limited();
    });
  } catch (error) {
    signal.throwIfAborted();
    throw transportError(lost, error);
  }
}

type Work<T> = (signal: AbortSignal) => Promise<T>;
