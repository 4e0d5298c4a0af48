import { FAILED_STATUSES, type FailedStatus, type TrialStatus } from '../trial.ts';

/** Consecutive failures from which a streak is reported: fewer may be a proposer's bad luck. */
const MENTIONED_FROM = 3;

/** Consecutive trials, up to now, that failed. */
export interface LosingStreak {
  trials: number;
  /** True: every trial that was read failed, so that the streak may be longer. */
  orMore: boolean;
  newest: { trialId: string; status: FailedStatus; reason: string | null };
}

/**
 * The streak at the beginning of `ended`: at most `limit` ended trials, newest first. Null if the streak is too short.
 */
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

/** Number of failed trials of a research in which every trial failed; null if one did not fail, or none failed. */
export function nothingButFailures(byStatus: Readonly<Record<TrialStatus, number>>): number | null {
  const failed = FAILED_STATUSES.reduce((sum, status) => sum + byStatus[status], 0);
  // A copy of a failed trial is not a success.
  const other = Object.values(byStatus).reduce((sum, count) => sum + count, 0) - failed - byStatus.cached;
  return failed > 0 && other === 0 ? failed : null;
}

const isFailed = (status: TrialStatus): status is FailedStatus =>
  (FAILED_STATUSES as readonly TrialStatus[]).includes(status);
