import type { AuditPlan } from '../audit/audit-plan.ts';
import type { AbortChoice } from '../table.ts';
import type { CurvePoint, Direction, FinishedCurve, RunBudget } from '../types.ts';

/** A whole run to replay: its reported points and its final value. */
export interface ReplayCurve {
  /** Runs of one recipe; bounds are taken over groups. */
  group: string;
  points: readonly CurvePoint[];
  budget: RunBudget;
  final: number;
}

/** `running`: the best final so far; `quantile`: a fixed number, the end of the best tenth of all finals. */
export const INCUMBENTS = ['running', 'quantile'] as const;
export type IncumbentKind = (typeof INCUMBENTS)[number];

export interface ReplayPlan {
  /** The rule, with its own settings if it has any. */
  rule: AbortChoice;
  /** Direction of the metric. */
  direction: Direction;
  /** Direction of the curves' values; default: the metric's. */
  curveDirection?: Direction;
  incumbent: IncumbentKind;
  /** Runs under way at once. */
  slots: number;
  /** Orders of the runs that are replayed; the first is the given order, the others are shuffled. */
  repeats: number;
  seed: number;
  audit: AuditPlan;
  burnIn: number;
  cadence: number;
  errorTarget: number;
  /** Finished runs of earlier researches that the rule begins with, the oldest first; default: none. */
  known?: readonly FinishedCurve[];
}

/** One run in one repeat. */
export interface ReplayedRun {
  /** Index in the list of curves. */
  curve: number;
  /** Slot time of the run if it is left alone, in budgets: the share of its last line. */
  whole: number;
  /** Slot time that the run took, in budgets. */
  used: number;
  /** Share of the budget at which the rule wanted to abort the run; null if it did not. */
  wanted: number | null;
  /** Probability with which the would-be abort was audited; null if the rule let the run live. */
  probability: number | null;
  /** The abort was carried out. */
  aborted: boolean;
  /** The run's final beats the incumbent that all runs before it would have left. */
  wouldBeIncumbent: boolean;
  /** The run's final is in the best tenth of all. */
  bestTenth: boolean;
}

export interface ReplayedOrder {
  runs: ReplayedRun[];
  /** Best final that was found. */
  best: number;
}
