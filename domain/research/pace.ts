import type { TrialStatus } from '../trial.ts';

/** Consecutive rejected, lost or already known proposals that slow a research down. */
const PACE_AFTER = 10;
const FIRST_SECONDS = 5;
export const LONGEST_PACE_SECONDS = 300;

/** Statuses that slow down new proposals. */
export const SLOWING_STATUSES: readonly TrialStatus[] = ['rejected', 'lost', 'cached'];
/** Statuses that slow down trials of every kind: machines that lose every trial get no more at full speed. */
export const LOSSES: readonly TrialStatus[] = ['lost'];

/**
 * Seconds to wait before the next batch of trials, by the number of consecutive trials that slow the research down. The
 * wait doubles with each full `window` of them: trials that were under way together make one batch, and count as one
 * failure.
 */
export function paceSeconds({ inARow, window }: { inARow: number; window: number }): number {
  if (inARow < PACE_AFTER) return 0;
  const batches = Math.floor((inARow - PACE_AFTER) / window);
  return Math.min(LONGEST_PACE_SECONDS, FIRST_SECONDS * 2 ** batches);
}
