import { SLOWEST_CORE } from './charge.ts';
import type { Run } from '../schema/run.ts';

/** Seconds added to twice the budget, for start-up, saving and a slow disk. */
const SLACK_SECONDS = 30;

/**
 * Seconds of wall clock after which the supervisor ends a run, without the time in which other processes kept it from a
 * CPU: the task's own limit, else a limit derived from the budget. The factor 2 allows for a slow start, and for
 * kernels that do not report that time.
 */
export function timeLimitOf({
  run: { budget, timeoutSeconds },
}: {
  run: Pick<Run, 'budget'> & Partial<Pick<Run, 'timeoutSeconds'>>;
}): number {
  const { kind, seconds } = budget;
  return timeoutSeconds ?? Math.max(2 * seconds + SLACK_SECONDS, kind === 'reference' ? 2 * SLOWEST_CORE * seconds : 0);
}
