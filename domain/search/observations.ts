import type { KnobValues } from '../knob/knob-value.ts';
import type { TrialStatus } from '../trial.ts';

/** A candidate with an outcome. */
export interface Observation {
  candidateId: string;
  knobs: KnobValues;
  /** Hash of its mutable files without the literals of its knobs; null if files are lost, or without knobs. */
  structure: string | null;
  /** Name of the proposer that proposed it first; null for the original. */
  proposer: string | null;
  /** Mean of its scored runs, in units of the metric; null without scored runs. */
  value: number | null;
  /** Number of its scored runs. */
  runs: number;
  /** Outcome of its last run, lost runs excepted; `lost` if it has no other run. */
  outcome: TrialStatus;
  /** Seconds on slots, over all of its runs. */
  seconds: number;
  /** USD of the model calls of its proposals. */
  usd: number;
}

/** Candidates of a research under the current version of its task. */
export interface Observations {
  direction: 'minimize' | 'maximize';
  /** Candidates by value, best first. */
  best: readonly Observation[];
  /** Candidates by the time of their first outcome, latest first. */
  latest: readonly Observation[];
  /** Number of all candidates with an outcome, those not in `best` or `latest` included. */
  total: number;
  /** Candidates without an outcome. */
  inFlight: readonly Pick<Observation, 'candidateId' | 'knobs' | 'structure'>[];
}

/** Number of observations that a method reads. */
export interface ObservationLimits {
  best: number;
  latest: number;
}

/** Most observations that a method may read. */
export const FURTHEST: ObservationLimits = { best: 100, latest: 1000 };

/** Empty observations, for a method that reads none. */
export const nothingObserved = (direction: Observations['direction']): Observations => ({
  direction,
  best: [],
  latest: [],
  total: 0,
  inFlight: [],
});

/** Stored sums of a candidate's runs. */
export type Sums = Pick<Observation, 'value' | 'runs' | 'seconds' | 'usd'> & { outcome: TrialStatus | null };

/** An ended run; `value` is null unless the run was scored. */
export interface EndedObservation {
  status: TrialStatus;
  value: number | null;
  seconds: number | null;
  usd: number;
}

/** The sums after one more run. A lost run does not replace an earlier outcome. */
export function afterOutcome(before: Sums, { status, value, seconds, usd }: EndedObservation): Sums {
  const isScored = status === 'completed' && value !== null;
  return {
    value: isScored ? meanWith(before, value) : before.value,
    runs: before.runs + (isScored ? 1 : 0),
    outcome: status === 'lost' ? (before.outcome ?? status) : status,
    seconds: before.seconds + (seconds ?? 0),
    usd: before.usd + usd,
  };
}

/** The mean with one more value. Each term is divided before the sum, so that the sum stays finite. */
export function meanWith({ value: mean, runs }: Pick<Sums, 'value' | 'runs'>, value: number): number {
  if (mean === null) return value;
  const sum = mean * (runs / (runs + 1)) + value / (runs + 1);
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum));
}
