import type { z } from 'zod';
import type { Method } from '../method/axis.ts';

/** One point of a curve as a run reported it; `value` may be NaN or infinite. */
export interface CurvePoint {
  step: number;
  /** Seconds since the run's start; NaN if the line was read late, so that its print time is unknown. */
  elapsed: number;
  value: number;
  /** Share of the budget, if the run printed one. */
  share?: number | null;
}

/**
 * A run's limit: planned steps, seconds of wall clock, or shares that the run itself prints (`shares`, with a total
 * of 1). A point's share of the limit is the run's progress.
 */
export interface RunBudget {
  kind: 'steps' | 'seconds' | 'shares';
  total: number;
}

export type Direction = 'minimize' | 'maximize';

/** A run that is over. `final` is its metric, which may be another quantity than the curve; null if it was stopped. */
export interface FinishedCurve {
  points: readonly CurvePoint[];
  budget: RunBudget;
  final: number | null;
  /** The run's name, if rules judged the run while it went on. */
  run?: string;
  /** Share of the budget at which the rule wanted to stop the run. An audited run went on. */
  wanted?: number | null;
  /** Inverse of the probability with which the run was let run to its end: above 1 for an audited would-be abort. */
  weight?: number;
  /** The run is of an earlier research; the research's own curves replace it in time. Needs a rule with `carries`. */
  carried?: boolean;
}

/** Settings that are the same for all decisions of a research; `direction` is the metric's. */
export interface AbortConfig {
  direction: Direction;
  /** Direction in which a curve's values improve, if it differs from the metric's, which is the default. */
  curveDirection?: Direction;
  /** Largest wanted share of aborts among runs that would become incumbent. */
  errorTarget: number;
  /** Share of the budget before which nothing is aborted. */
  burnIn: number;
  /** Share of the budget from one look to the next. */
  cadence: number;
}

/** One look at a run that is under way. */
export interface AbortInput {
  points: readonly CurvePoint[];
  budget: RunBudget;
  /** The final metric to beat; null while there is none. */
  incumbent: number | null;
  /** The run's name, the same at all its looks. */
  run?: string;
  /** Share of the budget at the last look, 0 at the first look; default: one cadence before this look. */
  lastLookShare?: number;
  /** Factor on the evidence that a rule requires; 1 unless the audit tightened the rule. */
  strictness?: number;
}

export interface AbortDecision {
  abort: boolean;
  /** Share of the budget at the look; null before the run's first point. */
  share: number | null;
  /** Forecast of the final metric and its 95 % interval, if the rule makes one. */
  forecast: number | null;
  interval: { low: number; high: number } | null;
  reason: string;
}

/**
 * The functions of a rule. States are plain JSON and never changed in place. A finished curve is learned once; a
 * decision may record the look in the state that it returns. `Held` is the state that a step takes, for a known rule
 * `State`.
 */
export interface AbortSteps<State, Settings, Held = State> {
  /** Builds the first state from the rule's own `settings`. Settings that decisions need go into the state. */
  init: (this: void, config: AbortConfig, settings: Settings) => State;
  learn: (this: void, state: Held, curve: FinishedCurve) => State;
  decide: (this: void, state: Held, input: AbortInput) => { state: State; decision: AbortDecision };
}

/** A rule of early abort, and facts about it. Without type arguments: any rule, its state and settings unknown. */
export interface AbortRule<State = unknown, Settings = never, Held = never>
  extends Method, AbortSteps<State, Settings, Held> {
  /** False if the rule never stops a run. */
  stops: boolean;
  /** Ended runs that the rule needs before it stops any run. */
  needsEnded: number;
  /** The rule can require more evidence if the audit demands it. A rule that cannot is switched off instead. */
  canTighten: boolean;
  /** The rule compares values of curves as if they were the metric, so both must improve in the same direction. */
  takesCurveForMetric: boolean;
  /** The rule also compares with runs of earlier researches, until it knows enough of the research's own. */
  carries: boolean;
}

/** Infers the types of a rule's state and settings, the latter from their schema. */
export const defineAbort = <State, S extends z.ZodObject>(
  rule: AbortRule<State, z.output<S>, State> & { settings: S },
): AbortRule<State, z.output<S>, State> & { settings: S } => rule;

export const DEFAULT_ABORT: Omit<AbortConfig, 'direction' | 'curveDirection'> = {
  errorTarget: 0.02,
  burnIn: 0.1,
  cadence: 0.05,
};
