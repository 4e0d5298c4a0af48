import { FAILED_STATUSES, type FailedStatus, type TrialKind, type TrialStatus } from '../trial.ts';

/** Runs of the unmodified workspace that failed, while the baseline is not measured: what they fail of, proposals fail of, too. */
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

/** Of ended trials, the newest first; null where no run of the present baseline failed. */
export function failedBaseline(ended: readonly Ended[], baselineId: string): FailedBaseline | null {
  const failed = ended.flatMap(({ trialId, kind, candidateId, status, reason }) =>
    kind === 'baseline' && candidateId === baselineId && isFailed(status) ? [{ trialId, status, reason }] : [],
  );
  const [newest] = failed;
  return newest ? { trials: failed.length, newest } : null;
}

const isFailed = (status: TrialStatus): status is FailedStatus =>
  (FAILED_STATUSES as readonly TrialStatus[]).includes(status);
