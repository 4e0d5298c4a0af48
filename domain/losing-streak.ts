import { FAILED_STATUSES, type FailedStatus, type TrialStatus } from './trial.ts';

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

const isFailed = (status: TrialStatus): status is FailedStatus =>
  (FAILED_STATUSES as readonly TrialStatus[]).includes(status);
