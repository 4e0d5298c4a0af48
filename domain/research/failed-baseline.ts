import { FAILED_STATUSES, type FailedStatus, type TrialKind, type TrialStatus } from '../trial.ts';

/** Failed runs of the unmodified workspace, before the baseline is measured. Proposals fail for the same cause. */
export interface FailedBaseline {
  trials: number;
  newest: { trialId: string; status: FailedStatus; reason: string | null };
}

interface Ended {
  trialId: string;
  kind: TrialKind;
  candidateId: string | null;
  status: TrialStatus;
  reason: string | null;
}

/** Failed runs of the current baseline among ended trials, newest first; null if none failed. */
export function failedBaseline(ended: readonly Ended[], baselineId: string): FailedBaseline | null {
  const failed = ended.flatMap(({ trialId, kind, candidateId, status, reason }) =>
    kind === 'baseline' && candidateId === baselineId && isFailed(status) ? [{ trialId, status, reason }] : [],
  );
  const [newest] = failed;
  return newest ? { trials: failed.length, newest } : null;
}

const isFailed = (status: TrialStatus): status is FailedStatus =>
  (FAILED_STATUSES as readonly TrialStatus[]).includes(status);
