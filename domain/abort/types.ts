import type { z } from 'zod';
import type { Method } from '../method/axis.ts';

/** One point of a curve as a run reported it; `value` may be NaN or infinite. */
export interface CurvePoint {
  step: number;
  /** Seconds since the run's start; NaN where the line was read late, so that nobody knows when it was printed. */
  elapsed: number;
  value: number;
  /** Share of the budget, where the run said so. */
  share?: number | null;
}

/**
 * What a run may use: planned steps, seconds of wall clock, or what its own clock says (`shares`, with a total of 1). A
 * point's share of it says how far a run is.
 */
export interface RunBudget {
  kind: 'steps' | 'seconds' | 'shares';
  total: number;
}

export type Direction = 'minimize' | 'maximize';

/** A run that is over. `final` is its metric, which may be another quantity than the curve; null where it was stopped. */
export interface FinishedCurve {
  points: readonly CurvePoint[];
  budget: RunBudget;
  final: number | null;
  /** Its name, where rules were asked about it while it went on. */
  run?: string;
  /** Share of the budget at which the rule wanted to stop it; audited, it went on. */
  wanted?: number | null;
  /** Inverse of the probability with which it was let run to its end: above 1 for an audited would-be abort. */
  weight?: number;
  /** It is of an earlier research: curves of one's own take its place in time. Rules that compare with none of these leave it out. */
  carried?: boolean;
}

/** What does not change between the decisions of a research; `direction` is the metric's. */
export interface AbortConfig {
  direction: Direction;
  /** Which of a curve's values is better, where that is another quantity than the metric; default: as of the metric. */
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
  /** Its name, by which it is known again. */
  run?: string;
  /** Share of the budget at the look before this one, 0 at the first; default: one cadence before this one. */
  before?: number;
  /** Multiplies what a rule asks as evidence; 1 unless the audit tightened the rule. */
  strictness?: number;
}

export interface AbortDecision {
  abort: boolean;
  /** Share of the budget at which the run was looked at; null before its first point. */
  share: number | null;
  /** Forecast of the final metric and its 95 % interval, where the rule makes one. */
  forecast: number | null;
  interval: { low: number; high: number } | null;
  reason: string;
}

/**
 * The functions of a rule. States are plain JSON and never changed in place: a finished curve is learned once, and a
 * decision may note what it saw in the state that it returns. `Held` is the state that it takes, which is the one it gives.
 */
export interface AbortSteps<State, Settings, Held = State> {
  /** `settings` are the rule's own, by its schema; what it decides by goes into its state. */
  init: (this: void, config: AbortConfig, settings: Settings) => State;
  learn: (this: void, state: Held, curve: FinishedCurve) => State;
  decide: (this: void, state: Held, input: AbortInput) => { state: State; decision: AbortDecision };
}

/** A rule of early abort, and facts about it. Without type arguments: any rule, its state and settings unknown. */
export interface AbortRule<State = unknown, Settings = never, Held = never>
  extends Method, AbortSteps<State, Settings, Held> {
  /** Whether it ever stops a run. */
  stops: boolean;
  /** Ended runs before which it stops nothing. */
  needsEnded: number;
  /** Asks for more evidence where the audit tells it to; a rule that cannot is switched off instead. */
  canTighten: boolean;
  /** Compares values of curves as if they were the metric, so that the two must point the same way. */
  takesCurveForMetric: boolean;
  /** Compares with runs of earlier researches, too, until it knows enough of its own. */
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
