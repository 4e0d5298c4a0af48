import { FAILED_STATUSES, type FailedStatus, type TrialStatus } from '../trial.ts';

/** So many failures in a row are more than bad luck of a proposer. */
const MENTIONED_FROM = 3;

/** Trials that failed one after the other, up to now. */
export interface LosingStreak {
  trials: number;
  /** Every trial that was looked at failed: there may be more. */
  orMore: boolean;
  newest: { trialId: string; status: FailedStatus; reason: string | null };
}

/** The streak that ended trials begin with, the newest first, `limit` at most; null where it is short. */
export function losingStreak(
  ended: readonly { trialId: string; status: TrialStatus; reason: string | null }[],
  limit: number,
): LosingStreak | null {
  const end = ended.findIndex(({ status }) => !isFailed(status));
  const trials = end === -1 ? ended.length : end;
  const [newest] = ended;
  if (!newest || !isFailed(newest.status) || trials < MENTIONED_FROM) return null;
  const { trialId, status, reason } = newest;
  return { trials, orMore: end === -1 && ended.length >= limit, newest: { trialId, status, reason } };
}

/** How many trials of a research failed where none gave anything else; null where one ran, or none failed. */
export function nothingButFailures(byStatus: Readonly<Record<TrialStatus, number>>): number | null {
  const failed = FAILED_STATUSES.reduce((sum, status) => sum + byStatus[status], 0);
  // A copy of a trial that failed is no success of its own.
  const other = Object.values(byStatus).reduce((sum, count) => sum + count, 0) - failed - byStatus.cached;
  return failed > 0 && other === 0 ? failed : null;
}

const isFailed = (status: TrialStatus): status is FailedStatus =>
  (FAILED_STATUSES as readonly TrialStatus[]).includes(status);
