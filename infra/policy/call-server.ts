import type { z } from 'zod';
import { withDeadline } from '../llm/deadline.ts';
import { answerError, type AnswerContext, malformedError, parse, transportError } from './errors.ts';
import { exchangeOverSocket, isServerAbsent, type Answer, type Call } from './socket-exchange.ts';
import type { ServerPaths } from './server-paths.ts';

/** Receives a line of progress. */
export type Tell = (line: string) => void;

/** Waits until a server answers; starts one if none does. */
export type StartServer = (paths: ServerPaths, signal: AbortSignal, tell?: Tell) => Promise<void>;

export interface ServerRequest<T> extends AnswerContext {
  paths: ServerPaths;
  call: Call;
  schema: z.ZodType<T>;
}

/** Sends one request and checks the answer. Throws PolicyError, or the socket's error. */
export async function callServer<T>(request: ServerRequest<T>, signal: AbortSignal): Promise<T> {
  return parseServerAnswer(request, await exchangeOverSocket(request.paths.socket, request.call, signal));
}

/** Checks an answer by the contract; throws PolicyError. */
export function parseServerAnswer<T>(request: ServerRequest<T>, answer: Answer): T {
  const { what, schema } = request;
  if (answer.status !== 200) throw answerError(what, answer);
  const read = schema.safeParse(parse(answer.text));
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw malformedError(request, `${issue?.path.join('.') || 'the answer'}: ${issue?.message}`, answer.text);
}

/**
 * Runs work that calls a server, for at most `seconds`, null for no limit. If no server listens, starts one, which does
 * not count, and runs the work again. Throws PolicyError, or the signal's reason.
 */
export async function withServer<T>(
  start: StartServer,
  {
    paths,
    seconds = null,
    work,
    tell,
    ...context
  }: { paths: ServerPaths; seconds?: number | null; work: Work<T>; tell?: Tell | undefined } & AnswerContext,
  signal: AbortSignal,
): Promise<T> {
  const limited = () => (seconds === null ? work(signal) : withDeadline(work, { seconds, signal }));
  try {
    return await limited().catch(async (error: unknown) => {
      if (!isServerAbsent(error)) throw error;
      await start(paths, signal, tell);
      return limited();
    });
  } catch (error) {
    signal.throwIfAborted();
    throw transportError(context, error);
  }
}

type Work<T> = (signal: AbortSignal) => Promise<T>;
