import type { Run } from '../schema/run.ts';

/** Multiple of its budget that a run may use, if the task sets no `run.budget.most`. */
export const DEFAULT_CPU_FACTOR = 1.5;
/** A core may be up to three times slower than the reference core. */
export const SLOWEST_CORE = 3;

/**
 * CPU seconds that a run and its answering program may use together; null for a budget of wall clock. A run counts its
 * reference seconds itself. Their limit in CPU seconds follows from `unmodified`: the CPU seconds that the unmodified
 * version used for the same budget, answers included. `unmodified` is null before the first of its runs has ended, and
 * for these runs themselves; the limit then assumes the slowest core.
 */
export function mostCpuSeconds(
  { kind, seconds, most = DEFAULT_CPU_FACTOR }: Run['budget'],
  unmodified: number | null,
): number | null {
  if (kind === 'wall') return null;
  if (kind === 'cpu') return most * seconds;
  return unmodified === null ? Math.max(most, SLOWEST_CORE) * seconds : most * Math.max(seconds, unmodified);
}

/** A limit of CPU seconds and its origin, for messages: "3 s (run.budget.most × run.budget.seconds)". */
export function describeCpuLimit(most: number, { kind }: Pick<Run['budget'], 'kind'>): string {
  const origin = kind === 'reference' ? 'run.budget.most, see docs/concepts/compute-time.md' : MOST_BY_SECONDS;
  return `${round(most)} s (${origin})`;
}

const MOST_BY_SECONDS = 'run.budget.most × run.budget.seconds';

/** The failure message of a run that used more CPU seconds than allowed; `limit`: of `describeCpuLimit`. */
export const overspent = (used: number, limit: string): string =>
  `used ${round(used)} s of CPU, answers included; the limit is ${limit}`;

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
