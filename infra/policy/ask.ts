import type { z } from 'zod';
import { withDeadline } from '../llm/deadline.ts';
import { answerError, type Lost, malformedError, parse, transportError } from './errors.ts';
import { exchange, isNotThere, type Answer, type Call } from './exchange.ts';
import type { Place } from './place.ts';

/** Waits until a server answers at a place; starts it where none does. */
export type Start = (place: Place, signal: AbortSignal) => Promise<void>;

export interface Question<T> extends Lost {
  place: Place;
  call: Call;
  schema: z.ZodType<T>;
}

/** One request, its answer checked. Throws PolicyError, or the socket's error. */
export async function ask<T>(question: Question<T>, signal: AbortSignal): Promise<T> {
  return readAnswer(question, await exchange(question.place.socket, question.call, signal));
}

/** Throws PolicyError where it is no answer of the contract. */
export function readAnswer<T>(question: Question<T>, answer: Answer): T {
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
export async function served<T>(
  start: Start,
  { place, seconds = null, work, ...lost }: { place: Place; seconds?: number | null; work: Work<T> } & Lost,
  signal: AbortSignal,
): Promise<T> {
  const limited = () => (seconds === null ? work(signal) : withDeadline(work, { seconds, signal }));
  try {
    return await limited().catch(async (error: unknown) => {
      if (!isNotThere(error)) throw error;
      await start(place, signal);
      return limited();
    });
  } catch (error) {
    signal.throwIfAborted();
    throw transportError(lost, error);
  }
}

type Work<T> = (signal: AbortSignal) => Promise<T>;
