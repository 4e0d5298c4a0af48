import type { TrialEnded, TrialKind, TrialStatus, Verdict } from '../trial.ts';

/** A stored trial that has an outcome, as far as its research is told of it. */
export interface StoredOutcome {
  n: number;
  kind: TrialKind;
  status: TrialStatus | null;
  verdict: Verdict | null;
  slotWaitSeconds: number | null;
  seconds: number | null;
  createdAt: Date;
  readyAt: Date | null;
  startedAt: Date | null;
  /** A request for its proposal failed and was sent again: its times hold those in which the endpoint was away. */
  endpointAway: boolean;
}

/** Makes the message to `research` of a trial that has an outcome; `researchRun` is the run that is in charge. */
export function endedOf(trial: StoredOutcome, researchRun: string | null): TrialEnded {
  const { endpointAway } = trial;
  const since = (from: Date | null, to: Date | null) => (from && to ? (to.getTime() - from.getTime()) / 1000 : null);
  return {
    n: trial.n,
    status: trial.status ?? 'lost',
    verdict: trial.verdict ?? 'none',
    // A slot that stood free before the trial was even admitted waited for something else, and so did one that waited for an endpoint.
    slotWaitSeconds: endpointAway ? null : lesser(trial.slotWaitSeconds, since(trial.createdAt, trial.startedAt)),
    readyWaitSeconds: since(trial.readyAt, trial.startedAt),
    proposeSeconds: trial.kind === 'search' && !endpointAway ? since(trial.createdAt, trial.readyAt) : null,
    slotSeconds: trial.seconds,
    researchRun,
  };
}

const lesser = (a: number | null, b: number | null): number | null => (a === null || b === null ? a : Math.min(a, b));
