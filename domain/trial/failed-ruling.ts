import type { FailureLabel, TrialKind, TrialStatus, Verdict } from '../trial.ts';

/** A stored trial that ended without a value. */
export interface Failed {
  kind: TrialKind;
  status: TrialStatus | null;
  failure: FailureLabel | null;
  failureMessage: string | null;
  evaluatorNotes: string | null;
}

/** The verdict on a trial that ended without a value: a proposal that failed by its own fault is discarded. */
export const verdictOfFailure = ({ kind, status }: Failed): Verdict =>
  (kind === 'search' || kind === 'injected') && status !== 'aborted' && status !== 'lost' && status !== 'cached'
    ? 'discard'
    : 'none';

/** Why a trial ended without a value. */
export function reasonOfFailure({ status, failure, failureMessage, evaluatorNotes }: Failed): string {
  // Of which trial it is a copy, and what became of that one: the next proposal should know.
  const message = status === 'cached' ? evaluatorNotes : failureMessage;
  return `${status}${failure ? ` (${failure})` : ''}${message ? `: ${message}` : ''}`.slice(0, 1000);
}
