import { planAudit, AUDIT_SHARE, BY_PLAN, type AuditSettings } from '../../domain/abort/audit/audit-plan.ts';
import { ordersOf, replayOrder } from '../../domain/abort/replay/replay-order.ts';
import type { ReplayCurve, ReplayedOrder, ReplayPlan } from '../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT, type FinishedCurve } from '../../domain/abort/types.ts';
import type { CurveSet } from './sets.ts';

export const DEFAULTS: AuditSettings = { first: BY_PLAN, share: AUDIT_SHARE };

/** A research, and the next one, whose runs are others and which knows what finished in the first. */
export interface Pair {
  first: ReplayedOrder;
  second: ReplayedOrder;
}

/** Settings of the second research. */
export interface PairSettings {
  audit?: AuditSettings;
  /** Finished runs of the first research that the second one begins with, at most; the default is that of experiment 32. */
  carried?: number;
}

/** So many pairs of researches of a set, each of runs drawn anew. Where a set has too few runs for two, both are half of it. */
export function pairsOf(
  set: CurveSet,
  repeats: number,
  { audit = DEFAULTS, carried = 200 }: PairSettings = {},
): Pair[] {
  const { curves, direction } = set;
  return ordersOf(curves.length, { repeats: repeats + 1, seed: 1 })
    .slice(1)
    .map((order, i): Pair => {
      const halves = 2 * set.trials > order.length ? Math.floor(order.length / 2) : set.trials;
      const planOf = (trials: number): ReplayPlan => ({
        ...DEFAULT_ABORT,
        ...{ rule: 'matched-time', direction, incumbent: 'running', slots: 1, repeats: 1, seed: 2 * i + 1 },
        audit: planAudit(audit, trials),
      });
      const first = replayOrder(curves, order.slice(0, set.trials), planOf(set.trials));
      const earlier = halves === set.trials ? first : replayOrder(curves, order.slice(0, halves), planOf(halves));
      const plan = { ...planOf(halves), seed: 2 * i + 2, known: finishedOf(curves, earlier).slice(-carried) };
      return { first, second: replayOrder(curves, order.slice(halves, 2 * halves), plan) };
    });
}

/** What finished in a research, in the order of the ends: never a run that was stopped. */
const finishedOf = (curves: readonly ReplayCurve[], { runs }: ReplayedOrder): FinishedCurve[] =>
  runs.flatMap(({ curve, aborted, probability }) => {
    const one = curves[curve];
    return one === undefined || aborted ? [] : [{ ...one, weight: 1 / (probability ?? 1) }];
  });
