import type { Run } from '../schema/run.ts';

/** Times of its budget that a run may use, where the task says nothing. */
export const DEFAULT_CPU_FACTOR = 1.5;
/** A core may be up to three times slower than the reference core. */
export const SLOWEST_CORE = 3;

/**
 * CPU seconds that a run and the program that answers for it may use together; null for a budget of wall clock. Reference
 * seconds are the run's own to count: what they come to in CPU seconds is what the unmodified version took for its, `unmodified`,
 * with its answers. Null where none of its runs has ended, and for those: then a core counts as the slowest there is.
 */
export function mostCpuSeconds(
  { kind, seconds, most = DEFAULT_CPU_FACTOR }: Run['budget'],
  unmodified: number | null,
): number | null {
  if (kind === 'wall') return null;
  if (kind === 'cpu') return most * seconds;
  return unmodified === null ? Math.max(most, SLOWEST_CORE) * seconds : most * Math.max(seconds, unmodified);
}

/** The message of a run that used more. */
export const overspent = (used: number, most: number): string =>
  `used ${round(used)} s of CPU, answers included; expected at most ${round(most)} s (run.budget.most)`;

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
