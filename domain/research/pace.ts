import type { TrialStatus } from '../trial.ts';

/** This many proposals in a row that were rubbish, lost or known already slow a research down. */
const PACE_AFTER = 10;
const FIRST_SECONDS = 5;
export const LONGEST_PACE_SECONDS = 300;

/** Ends that slow new proposals down. */
export const SLOWING_STATUSES: readonly TrialStatus[] = ['rejected', 'lost', 'cached'];
/** Ends that slow every kind of trial down: machines that lose all they are given shall not be given more at full speed. */
export const LOSSES: readonly TrialStatus[] = ['lost'];

/**
 * Seconds to wait before the next batch, from the number of trials in a row that ended so. It doubles with every
 * window of them: as many as are under way at once make one batch, and tell one thing.
 */
export function paceSeconds({ inARow, window }: { inARow: number; window: number }): number {
  if (inARow < PACE_AFTER) return 0;
  const batches = Math.floor((inARow - PACE_AFTER) / window);
  return Math.min(LONGEST_PACE_SECONDS, FIRST_SECONDS * 2 ** batches);
}
