import type { z } from 'zod';
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

/** One request, its answer checked; where no server listens, one is started first. Throws PolicyError. */
export async function ask<T>(start: Start, question: Question<T>, signal: AbortSignal): Promise<T> {
  try {
    return readAnswer(question, await send(start, question, signal));
  } catch (error) {
    signal.throwIfAborted();
    throw transportError(question, error);
  }
}

/** The raw answer, whatever its status. Rejects with the socket's error. */
export async function send(start: Start, { place, call }: Question<unknown>, signal: AbortSignal): Promise<Answer> {
  try {
    return await exchange(place.socket, call, signal);
  } catch (error) {
    if (!isNotThere(error)) throw error;
  }
  await start(place, signal);
  return exchange(place.socket, call, signal);
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
