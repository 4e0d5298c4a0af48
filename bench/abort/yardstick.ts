import { auditProbability, type AuditPlan } from '../../domain/abort/audit/audit-plan.ts';
import { shareOf } from '../../domain/abort/share-curve.ts';
import { ordersOf, tenthOf } from '../../domain/abort/replay/replay-order.ts';
import type { IncumbentKind, ReplayCurve } from '../../domain/abort/replay/types.ts';
import { createRandom } from '../../domain/statistics/random.ts';
import { isWorseThanMedian, isHopeless, type Run } from './plain-rules.ts';

const LOOKS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const WINDOW = 0.03;
const AUDIT: AuditPlan = { first: 0, share: 0.05 };

/**
 * `regression`: abort where prediction − z·s is above the incumbent. `median`: where it is worse than half of the runs that
 * ended were at that look. `foresight`: at the first look, what cannot win. `monotone`: where the best monotone predictor of
 * the final from the value at that look says so, chosen in hindsight for this order as the boldest that errs on no run that
 * wins. Both stop all of it, but for what is audited.
 */
export type Yardstick =
  { kind: 'regression'; z: number } | { kind: 'median' } | { kind: 'foresight' | 'monotone'; audit?: AuditPlan };

export interface YardstickRow {
  aborted: number;
  /** Would-be incumbents, over all orders. */
  wouldBeIncumbents: number;
  falseAborts: number;
  gain: number;
  regret: number;
}

export interface YardstickPlan {
  repeats: number;
  seed: number;
  /** What runs have to beat; default: the best final so far. */
  incumbent?: IncumbentKind;
}

/**
 * The plain rules to beat, lower is better: runs one after another, the mean over the last 3 % of the budget (else the last
 * point) at looks of 10 … 90 %, 5 % of would-be aborts run on by lot. The regression is least squares of the final on the
 * value over at least eight runs that ended, s with a 1 + 2/n inflation. The incumbent is the best final so far, or the end
 * of the best tenth of all. A false abort is one of a run better than all before it in the order, or than that end. The first
 * look without any error (`foresight`) bounds every rule with these looks, and those with these audits where it has them,
 * too; `monotone` likewise those without an error that go by the value of the look alone with one predictor for all the order.
 */
export function yardstick(curves: readonly ReplayCurve[], rule: Yardstick, plan: YardstickPlan): YardstickRow {
  const runs = curves.map((curve) => ({ values: LOOKS.map((look) => valueAt(curve, look)), final: curve.final }));
  const lowest = Math.min(...runs.map(({ final }) => final));
  const lots = createRandom(plan.seed + 1);
  const audit = auditOf(rule);
  const fixed = plan.incumbent === 'quantile' ? tenthOf(curves, 1) : null;
  let [total, used, aborted, cases, wrong, regret] = [0, 0, 0, 0, 0, 0];
  for (const order of ordersOf(runs.length, plan)) {
    const winners = winnersOf(
      order.flatMap((index) => runs[index] ?? []),
      fixed,
    );
    const done: typeof runs = [];
    let [found, best, wishes] = [Infinity, Infinity, 0];
    for (const index of order) {
      const run = runs[index];
      if (!run) continue;
      total += 1;
      const toBeat = fixed ?? best;
      const wins = toBeat < Infinity && run.final < toBeat;
      const look = LOOKS.findIndex((_, i) => {
        const sight = { i, run, done, incumbent: fixed ?? found };
        if (rule.kind === 'regression') return isHopeless(sight, rule.z);
        if (rule.kind === 'median') return isWorseThanMedian(sight);
        return toBeat < Infinity && (rule.kind === 'foresight' ? !wins : !mayWin(i, run, { best: toBeat, winners }));
      });
      if (wins) cases += 1;
      const isAudited = look >= 0 && audit !== null && lots.uniform() <= auditProbability(wishes, audit);
      if (look >= 0) wishes += 1;
      if (look >= 0 && !isAudited) {
        aborted += 1;
        used += LOOKS[look] ?? 1;
        if (wins) wrong += 1;
      } else {
        used += 1;
        done.push(run);
        found = Math.min(found, run.final);
      }
      best = Math.min(best, run.final);
    }
    regret += found - lowest;
  }
  return {
    aborted: aborted / total,
    wouldBeIncumbents: cases,
    falseAborts: wrong / Math.max(1, cases),
    gain: total / used,
    regret: regret / plan.repeats,
  };
}

/** Null where none of the would-be aborts runs on. */
const auditOf = (rule: Yardstick): AuditPlan | null =>
  rule.kind === 'foresight' || rule.kind === 'monotone' ? (rule.audit ?? null) : AUDIT;

/** Runs better than all before them, or than the fixed number, each with what it had to beat. */
function winnersOf(runs: readonly Run[], fixed: number | null): { run: Run; before: number }[] {
  let best = Infinity;
  return runs.flatMap((run) => {
    const before = fixed ?? best;
    best = Math.min(best, run.final);
    return before < Infinity && run.final < before ? [{ run, before }] : [];
  });
}

/**
 * The boldest monotone predictor f without an error on winners: f(v) ≤ f(v_w) ≤ what w had to beat wherever v ≤ v_w, so
 * f(v) is the least of these; a run goes on where that is not above what it has to beat.
 */
const mayWin = (i: number, run: Run, of: { best: number; winners: ReturnType<typeof winnersOf> }): boolean =>
  of.winners.some(
    (winner) => (winner.run.values[i] ?? Infinity) >= (run.values[i] ?? -Infinity) && winner.before <= of.best,
  );

function valueAt({ points, budget }: ReplayCurve, look: number): number {
  const before = points.filter((point) => shareOf(point, budget) <= look);
  const near = before.filter((point) => shareOf(point, budget) > look - WINDOW);
  if (near.length > 0) return near.reduce((sum, { value }) => sum + value, 0) / near.length;
  return (before.at(-1) ?? points[0])?.value ?? 0;
}
