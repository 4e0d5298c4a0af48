import type { AuditPlan } from '../audit/audit-plan.ts';
import type { AbortChoice } from '../table.ts';
import type { CurvePoint, Direction, FinishedCurve, RunBudget } from '../types.ts';

/** A whole run to replay: what it reported and what it ended at. */
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
  /** With its own settings, where it has any. */
  rule: AbortChoice;
  /** Of the metric. */
  direction: Direction;
  /** Of the curves' values; default: as of the metric. */
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

/** What became of one run in one repeat. */
export interface ReplayedRun {
  /** Its place in the list of curves. */
  curve: number;
  /** What it takes if it is left alone, in budgets: the share of its last line. */
  whole: number;
  /** What it took, in budgets. */
  used: number;
  /** The rule wanted to abort it, and at which share; null if not. */
  wanted: number | null;
  /** Probability with which its would-be abort was audited; null where the rule let it live. */
  probability: number | null;
  /** The abort was carried out. */
  aborted: boolean;
  /** Its final beats the incumbent that all runs before it would have left. */
  wouldBeIncumbent: boolean;
  /** Its final is in the best tenth of all. */
  bestTenth: boolean;
}

export interface ReplayedOrder {
  runs: ReplayedRun[];
  /** Best final that was found. */
  best: number;
}
