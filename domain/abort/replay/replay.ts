import { settingsIn } from '../../method/axis.ts';
import { signOf } from '../share-curve.ts';
import { estimateSpeedup, type AbortEffect } from '../speedup.ts';
import { abortOf, type AbortRuleName } from '../table.ts';
import { isAntiCorrelated } from '../rules/matched-time/regression.ts';
import { emptyState, learnMatched } from '../rules/matched-time/state.ts';
import type { AbortConfig } from '../types.ts';
import { isUndecided, boundFalseAborts, type CurveCount } from './bound-false-aborts.ts';
import { ordersOf, replayOrder } from './replay-order.ts';
import type { ReplayCurve, ReplayedOrder, ReplayedRun, ReplayPlan } from './types.ts';

/** Effects of a rule over all repeats. Shares are fractions; counts are sums over the repeats. */
export interface ReplayReport {
  rule: AbortRuleName;
  /** The rule's own settings, as the plan has them. */
  settings: Readonly<Record<string, unknown>>;
  runs: number;
  /** Share of runs that were stopped. */
  aborted: number;
  /** Share of runs that the rule wanted to stop, audited ones included. */
  wanted: number;
  wouldBeIncumbents: number;
  /** Share of the would-be incumbents that were stopped, and its limits over groups of curves. */
  falseAborts: number;
  falseAbortLower95: number;
  falseAbortUpper95: number;
  /** So few curves could not give a bound of at most 4 %. */
  undecided: boolean;
  /** The same for runs of the best tenth. */
  bestTenthAborts: number;
  bestTenthLower95: number;
  bestTenthUpper95: number;
  /** Share of would-be incumbents that the rule wanted to stop, audited ones included. */
  wantedFalse: number;
  /** Share of slot time saved. */
  savedShare: number;
  /** Slot time of `none` over slot time of the rule: the sum of whole runs over the sum of runs as stopped. */
  gain: number;
  /** `gain` times the share of would-be incumbents that survive. */
  usefulGain: number;
  /** Mean of (final best − final best of `none`), as a loss: 0 is none, in units of the metric. */
  regret: number;
}

/** Replays one rule over curves in several orders. Pure and repeatable; throws RangeError for fewer than two curves. */
export function replay(curves: readonly ReplayCurve[], plan: ReplayPlan): ReplayReport {
  return reportOf(curves, replayAll(curves, plan), plan);
}

/** All orders of a plan under its rule. Pure; throws RangeError for fewer than two curves. */
export function replayAll(curves: readonly ReplayCurve[], plan: ReplayPlan): ReplayedOrder[] {
  if (curves.length < 2) throw new RangeError(`expected at least 2 curves to replay, got ${curves.length}`);
  return ordersOf(curves.length, plan).map((order, i) => replayOrder(curves, order, { ...plan, seed: plan.seed + i }));
}

/** Reports the effects of a rule over the orders that were replayed with this plan. */
export function reportOf(
  curves: readonly ReplayCurve[],
  orders: readonly ReplayedOrder[],
  plan: ReplayPlan,
): ReplayReport {
  const sign = signOf(plan.direction);
  const all = orders.flatMap((order) => order.runs);
  const best = Math.min(...curves.map((curve) => sign * curve.final));
  const incumbents = all.filter((run) => run.wouldBeIncumbent);
  const tenth = all.filter((run) => run.bestTenth);
  const counts = countsOf(curves, incumbents);
  const falseLimits = boundFalseAborts(counts, plan.seed);
  const tenthLimits = boundFalseAborts(countsOf(curves, tenth), plan.seed);
  const falseAborts = meanOf(incumbents, (run) => (run.aborted ? 1 : 0));
  const { runs: gain, useful } = estimateSpeedup(effectOf(all));
  return {
    rule: abortOf(plan.rule).name,
    settings: settingsIn(plan.rule),
    runs: all.length,
    aborted: meanOf(all, (run) => (run.aborted ? 1 : 0)),
    wanted: meanOf(all, (run) => (run.wanted === null ? 0 : 1)),
    wouldBeIncumbents: incumbents.length,
    falseAborts,
    falseAbortLower95: falseLimits.low,
    falseAbortUpper95: falseLimits.high,
    undecided: isUndecided(counts),
    bestTenthAborts: meanOf(tenth, (run) => (run.aborted ? 1 : 0)),
    bestTenthLower95: tenthLimits.low,
    bestTenthUpper95: tenthLimits.high,
    wantedFalse: meanOf(incumbents, (run) => (run.wanted === null ? 0 : 1)),
    savedShare: 1 - 1 / gain,
    gain,
    usefulGain: useful,
    regret: meanOf(orders, (order) => sign * order.best - best),
  };
}

/** The observed terms of the gain's formula; good runs are would-be incumbents. */
function effectOf(all: readonly ReplayedRun[]): AbortEffect {
  const good = all.filter((run) => run.wouldBeIncumbent);
  const bad = all.filter((run) => !run.wouldBeIncumbent);
  const stopped = (runs: readonly ReplayedRun[]): ReplayedRun[] => runs.filter((run) => run.aborted);
  const remaining = ({ whole, used }: ReplayedRun): number => whole - used;
  return {
    overhead: 0,
    meanLength: meanOf(all, (run) => run.whole),
    bad: bad.length / all.length,
    power: stopped(bad).length / Math.max(1, bad.length),
    leftAtTrueAbort: meanOf(stopped(bad), remaining),
    falseAbort: stopped(good).length / Math.max(1, good.length),
    leftAtFalseAbort: meanOf(stopped(good), remaining),
  };
}

function countsOf(curves: readonly ReplayCurve[], cases: readonly ReplayedRun[]): CurveCount[] {
  const counts = curves.map(({ group }): CurveCount => ({ group, cases: 0, hits: 0 }));
  for (const run of cases) {
    const count = counts[run.curve];
    if (!count) continue;
    count.cases += 1;
    if (run.aborted) count.hits += 1;
  }
  return counts;
}

/** Mean of a list; 0 for an empty one. */
function meanOf<T>(list: readonly T[], valueOf: (item: T) => number): number {
  return list.length === 0 ? 0 : list.reduce((sum, item) => sum + valueOf(item), 0) / list.length;
}

/** Most curves that are tested: the time to learn them grows with the square of their number. */
const MOST = 500;

/** True if runs with better curve values at their end have worse finals, by more than chance, over the first curves. */
export const isMisleading = (curves: readonly ReplayCurve[], config: AbortConfig): boolean =>
  isAntiCorrelated(curves.slice(0, MOST).reduce(learnMatched, emptyState(config)));
