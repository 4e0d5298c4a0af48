import { ApplicationFailure } from '@temporalio/workflow';
import { describeIssue } from '../../../domain/messages.ts';

/** The part of a zod schema that a handler needs. */
export interface Schema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: Parameters<typeof describeIssue>[0] };
}

/** Most characters of a description: a key that a person sent may be of any length. */
const LONGEST_DESCRIPTION = 1000;

export const refuse = (why: string): ApplicationFailure => ApplicationFailure.nonRetryable(why, 'Refused');

/** Parses the arguments of a message. `ignored`: description of the first problem, if they cannot be parsed. */
export function readArguments<T>(schema: Schema<T>, raw: unknown): { args: T } | { ignored: string } {
  const parsed = schema.safeParse(raw ?? undefined);
  if (parsed.success) return { args: parsed.data };
  return { ignored: describeIssue(parsed.error, raw).slice(0, LONGEST_DESCRIPTION) };
}

export function parseOrThrow<T>(schema: Schema<T>, raw: unknown): T {
  const read = readArguments(schema, raw);
  if ('args' in read) return read.args;
  throw ApplicationFailure.nonRetryable(read.ignored, 'BadArguments');
}

/**
 * The refusal that an activity or a handler threw; undefined for any other error, which is a bug and must not be
 * hidden.
 */
export function refusalOf(error: unknown): ApplicationFailure | undefined {
  const failure = error instanceof Error && error.cause instanceof ApplicationFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.nonRetryable === true ? failure : undefined;
}

/** Rethrows an activity's refusal without its wrapper, whose message is only "Activity task failed". */
export async function unwrapRefusal<R>(act: () => Promise<R>): Promise<R> {
  try {
    return await act();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}
