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
 * A plain rule, or a bound:
 * - `regression` aborts a run if prediction − z·s is above the incumbent.
 * - `median` aborts a run that is worse than half of the ended runs were at that look.
 * - `foresight` (a bound) aborts every run that will not win, at the first look.
 * - `monotone` (a bound) aborts by the best monotone predictor of the final from the value at that look: the boldest
 *   that errs on no winner, chosen in hindsight for this order.
 * The bounds abort each such run, except the audited ones.
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
  /** Value that runs have to beat; by default the best final so far. */
  incumbent?: IncumbentKind;
}

/**
 * Replays a plain rule on runs one after another; lower is better.
 * - A run has looks at 10, 20 … 90 % of its budget. Its value there is the mean over the last 3 % of the budget, else
 *   the last point.
 * - A random 5 % of the would-be aborts of `regression` and `median` run on, as an audit.
 * - The regression is least squares of the final on the value, over at least eight ended runs. s has the factor
 *   1 + 2/n.
 * - The incumbent is the best final so far, or the end of the best tenth of all runs. An abort of a run that beats it
 *   is false.
 * - `foresight` bounds every rule with these looks, and with audits every rule with these audits. `monotone` bounds the
 *   rules without an error that use only the value at the look, with one predictor for the whole order.
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

/** The audit of a rule; null if it aborts every would-be abort. */
const auditOf = (rule: Yardstick): AuditPlan | null =>
  rule.kind === 'foresight' || rule.kind === 'monotone' ? (rule.audit ?? null) : AUDIT;

/** Runs better than all before them, or than the fixed number, each with the value that it had to beat. */
function winnersOf(runs: readonly Run[], fixed: number | null): { run: Run; before: number }[] {
  let best = Infinity;
  return runs.flatMap((run) => {
    const before = fixed ?? best;
    best = Math.min(best, run.final);
    return before < Infinity && run.final < before ? [{ run, before }] : [];
  });
}

/**
 * True if the boldest monotone predictor f without an error on winners lets the run go on. For each winner w with
 * v ≤ v_w, f(v) ≤ f(v_w) ≤ the value that w had to beat, so f(v) is the least of these values. The run goes on if f(v)
 * is not above the value that it has to beat.
 */
const mayWin = (i: number, run: Run, rivals: { best: number; winners: ReturnType<typeof winnersOf> }): boolean =>
  rivals.winners.some(
    (winner) => (winner.run.values[i] ?? Infinity) >= (run.values[i] ?? -Infinity) && winner.before <= rivals.best,
  );

function valueAt({ points, budget }: ReplayCurve, look: number): number {
  const before = points.filter((point) => shareOf(point, budget) <= look);
  const near = before.filter((point) => shareOf(point, budget) > look - WINDOW);
  if (near.length > 0) return near.reduce((sum, { value }) => sum + value, 0) / near.length;
  return (before.at(-1) ?? points[0])?.value ?? 0;
}
