import { SLOWEST_CORE } from './charge.ts';
import type { Run } from '../schema/run.ts';

/** Seconds added to the budget before a run is cut: start-up, saving, a slow disk. */
const SLACK_SECONDS = 30;

/**
 * Seconds of wall clock after which a run is ended: by the task's own limit, else by its budget. A run that weighs its CPU seconds
 * may share its core with another.
 */
export function timeLimitOf({
  run: { budget, timeoutSeconds },
}: {
  run: Pick<Run, 'budget'> & Partial<Pick<Run, 'timeoutSeconds'>>;
}): number {
  const { kind, seconds } = budget;
  return timeoutSeconds ?? Math.max(2 * seconds + SLACK_SECONDS, kind === 'reference' ? 2 * SLOWEST_CORE * seconds : 0);
}
