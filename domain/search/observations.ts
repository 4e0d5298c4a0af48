import type { KnobValues } from '../knob/knob-value.ts';
import type { TrialStatus } from '../trial.ts';

/** A candidate with an outcome. */
export interface Observation {
  candidateId: string;
  knobs: KnobValues;
  /** Name of the proposer that brought it first; null for the original. */
  proposer: string | null;
  /** Mean of its scored runs, in the units of the metric; null while it has none. */
  value: number | null;
  /** Its scored runs. */
  runs: number;
  /** Outcome of its last run that no machine lost. */
  outcome: TrialStatus;
  /** Seconds on slots, over all of its runs. */
  seconds: number;
  /** USD of the model calls of its proposals. */
  usd: number;
}

/** Candidates of a research under the version of its task that it runs now. */
export interface Observations {
  direction: 'minimize' | 'maximize';
  /** By their values, the best one first. */
  best: readonly Observation[];
  /** By their first outcomes, the latest one first. */
  latest: readonly Observation[];
  /** All candidates with an outcome, also those that are not read. */
  total: number;
  /** Candidates that have no outcome yet. */
  inFlight: readonly { candidateId: string; knobs: KnobValues }[];
}

/** How many observations a method reads. */
export interface ObservationLimits {
  best: number;
  latest: number;
}

/** Most observations that a method may read. */
export const FURTHEST: ObservationLimits = { best: 100, latest: 1000 };

/** Observations for a method that reads none. */
export const nothingObserved = (direction: Observations['direction']): Observations => ({
  ...{ direction, best: [], latest: [], total: 0, inFlight: [] },
});

/** Stored sums of a candidate's runs. */
export type Sums = Pick<Observation, 'value' | 'runs' | 'seconds' | 'usd'> & { outcome: TrialStatus | null };

/** A run that ended: `value` is null unless it was scored. */
export interface EndedObservation {
  status: TrialStatus;
  value: number | null;
  seconds: number | null;
  usd: number;
}

/** Sums after one more run. A run that a machine lost replaces no other outcome. */
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

/** The mean with one value more. Neither term is larger than the largest value, so that their sum stays finite. */
function meanWith({ value: mean, runs }: Pick<Sums, 'value' | 'runs'>, value: number): number {
  if (mean === null) return value;
  const sum = mean * (runs / (runs + 1)) + value / (runs + 1);
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum));
}
