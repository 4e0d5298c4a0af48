import { ApplicationFailure } from '@temporalio/workflow';
import { describeIssue } from '../../../domain/messages.ts';

/** The part of a zod schema that a handler needs. */
export interface Schema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: Parameters<typeof describeIssue>[0] };
}

/** A key that a person sent may be of any length. */
const WORDS = 1000;

export const refuse = (why: string): ApplicationFailure => ApplicationFailure.nonRetryable(why, 'Refused');

/** What came instead of the arguments, in words; none where they are understood. */
export function readArguments<T>(schema: Schema<T>, raw: unknown): { args: T } | { ignored: string } {
  const parsed = schema.safeParse(raw ?? undefined);
  return parsed.success ? { args: parsed.data } : { ignored: describeIssue(parsed.error, raw).slice(0, WORDS) };
}

export function parseOrThrow<T>(schema: Schema<T>, raw: unknown): T {
  const read = readArguments(schema, raw);
  if ('args' in read) return read.args;
  throw ApplicationFailure.nonRetryable(read.ignored, 'BadArguments');
}

/** What an activity, or a handler itself, refused on purpose; anything else is a bug and must show. */
export function refusalOf(error: unknown): ApplicationFailure | undefined {
  const failure = error instanceof Error && error.cause instanceof ApplicationFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.nonRetryable === true ? failure : undefined;
}

/** Hands on a refusal in the activity's own words; wrapped, a person would read "Activity task failed". */
export async function refusing<R>(act: () => Promise<R>): Promise<R> {
  try {
    return await act();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}
