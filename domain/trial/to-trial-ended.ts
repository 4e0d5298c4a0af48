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
  /** Seconds of its times in which the endpoint that its proposal comes from was away. */
  awaySeconds: number;
}

/** Makes the message to `research` of a trial that has an outcome; `researchRun` is the run that is in charge. */
export function toTrialEnded(trial: StoredOutcome, researchRun: string | null): TrialEnded {
  const { awaySeconds, slotWaitSeconds: waited } = trial;
  const since = (from: Date | null, to: Date | null) => (from && to ? (to.getTime() - from.getTime()) / 1000 : null);
  const there = (seconds: number | null) => (seconds === null ? null : Math.max(0, seconds - awaySeconds));
  const life = since(trial.createdAt, trial.startedAt);
  // A slot that was free before the endpoint was back waited for that: how long it would have waited else is not known.
  const isSlotWaitUnknown = awaySeconds > 0 && (waited ?? 0) > (there(life) ?? 0);
  return {
    n: trial.n,
    status: trial.status ?? 'lost',
    verdict: trial.verdict ?? 'none',
    // A slot that stood free before the trial was even admitted waited for something else.
    slotWaitSeconds: isSlotWaitUnknown ? null : lesser(waited, life),
    readyWaitSeconds: since(trial.readyAt, trial.startedAt),
    proposeSeconds: trial.kind === 'search' ? there(since(trial.createdAt, trial.readyAt)) : null,
    slotSeconds: trial.seconds,
    researchRun,
  };
}

const lesser = (a: number | null, b: number | null): number | null => (a === null || b === null ? a : Math.min(a, b));
