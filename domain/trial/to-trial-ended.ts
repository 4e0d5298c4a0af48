import type { TrialEnded, TrialKind, TrialStatus, Verdict } from '../trial.ts';

/** A stored trial with an outcome, reduced to the fields that its research receives. */
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
  /** Seconds in which the endpoint for its proposal was unreachable. */
  awaySeconds: number;
}

/** Builds an ended trial's message to its research. `researchRun` is the run id of the research workflow in charge. */
export function toTrialEnded(trial: StoredOutcome, researchRun: string | null): TrialEnded {
  const { awaySeconds, slotWaitSeconds: waited } = trial;
  const withoutOutage = (seconds: number | null) => (seconds === null ? null : Math.max(0, seconds - awaySeconds));
  const untilStart = secondsBetween(trial.createdAt, trial.startedAt);
  // A slot that was free before the endpoint came back waited for the endpoint; its wait without the outage is unknown.
  const isSlotWaitUnknown = awaySeconds > 0 && (waited ?? 0) > (withoutOutage(untilStart) ?? 0);
  return {
    n: trial.n,
    status: trial.status ?? 'lost',
    verdict: trial.verdict ?? 'none',
    // The slot's wait before the admission of this trial had another cause.
    slotWaitSeconds: isSlotWaitUnknown ? null : lesser(waited, untilStart),
    readyWaitSeconds: secondsBetween(trial.readyAt, trial.startedAt),
    proposeSeconds: trial.kind === 'search' ? withoutOutage(secondsBetween(trial.createdAt, trial.readyAt)) : null,
    slotSeconds: trial.seconds,
    researchRun,
  };
}

const secondsBetween = (start: Date | null, end: Date | null): number | null =>
  start && end ? (end.getTime() - start.getTime()) / 1000 : null;

const lesser = (a: number | null, b: number | null): number | null => (a === null || b === null ? a : Math.min(a, b));
