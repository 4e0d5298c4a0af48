import { createRandom } from '../../statistics/random.ts';
import { updateCalibration, NOT_AUDITED, decideStrictness } from '../audit/calibration.ts';
import { auditProbability, isAudited } from '../audit/audit-plan.ts';
import { lastShare, signOf } from '../share-curve.ts';
import { listLooks, type TakenLook } from '../looks.ts';
import { learnCarried, openRule } from '../rules.ts';
import type { ReplayCurve, ReplayedOrder, ReplayedRun, ReplayPlan } from './types.ts';

interface Slot {
  /** Position of the slot's run in the order; −1 if the slot is idle. */
  position: number;
  /** Time at which the run began, in budgets. */
  began: number;
  /** Index of the run's next look. */
  look: number;
  /** Share of the budget at the would-be abort, and the probability with which the abort was audited. */
  wanted: number | null;
  probability: number | null;
  /** The final to beat at the run's first look that had one; null before that. */
  judgedBy: number | null;
}

/** Course of a run that is left alone: its looks, and its end in budgets. */
interface Course {
  looks: TakenLook[];
  end: number;
}

/**
 * Computes the looks that the loop would take, at the run's lines, and the run's end: the share of its last line,
 * before or after the budget's end. Lines do not say how much longer the run took: it seems shorter by up to one line.
 */
const courseOf = ({ points, budget }: ReplayCurve, plan: ReplayPlan): Course => ({
  looks: listLooks(points, budget, plan),
  end: lastShare(points, budget) ?? 1,
});

/**
 * Replays one order as on a fleet. Each slot takes the next run when it is free. All looks of all slots happen in the
 * order of their times, and a rule knows only the runs that have ended by then. A run takes slot time up to its last
 * line if it is left alone, else up to the line at which it was stopped. Pure: the seed decides the audits.
 */
export function replayOrder(curves: readonly ReplayCurve[], order: readonly number[], plan: ReplayPlan): ReplayedOrder {
  const sign = signOf(plan.direction);
  const courses = curves.map((curve) => courseOf(curve, plan));
  const { direction, curveDirection = direction, burnIn, cadence, errorTarget } = plan;
  const cut = tenthOf(curves, sign);
  const wouldWin = wouldBeIncumbents(curves, order, { sign, cut, plan });
  const toBeat = (found: number): number => (plan.incumbent === 'quantile' ? cut : found);
  let rule = openRule(plan.rule, { direction, curveDirection, burnIn, cadence, errorTarget });
  if (plan.known) rule = learnCarried(rule, plan.known);
  let best = Infinity;
  let wouldBeAborts = 0;
  let calibration = NOT_AUDITED;
  let next = 0;
  const runs: ReplayedRun[] = [];
  const idle = (): Slot => ({ position: -1, began: 0, look: 0, wanted: null, probability: null, judgedBy: null });
  const slots = Array.from({ length: plan.slots }, idle);
  const start = (slot: Slot, now: number): void => {
    Object.assign(slot, idle(), { position: next < order.length ? next : -1, began: now });
    next += 1;
  };
  for (const slot of slots) start(slot, 0);
  const courseIn = (slot: Slot): Course | undefined => courses[order[slot.position] ?? 0];
  for (;;) {
    const slot = earliest(slots, courseIn);
    if (!slot) break;
    const [curve, course] = [curves[order[slot.position] ?? 0], courseIn(slot)];
    if (!curve || !course) break;
    const look = course.looks[slot.look];
    const run = String(order[slot.position]);
    let aborted = false;
    if (look && slot.wanted === null) {
      const incumbent = toBeat(best);
      if (incumbent < Infinity) slot.judgedBy ??= incumbent;
      const { strictness } = decideStrictness(calibration, rule.name);
      const step = rule.decide({
        points: curve.points.slice(0, look.seen),
        budget: curve.budget,
        incumbent: incumbent < Infinity ? sign * incumbent : null,
        run,
        lastLookShare: course.looks[slot.look - 1]?.share ?? 0,
        strictness: strictness ?? 1,
      });
      rule = step.rule;
      if (step.decision.abort && strictness !== null) {
        slot.wanted = look.share;
        slot.probability = auditProbability(wouldBeAborts, plan.audit);
        wouldBeAborts += 1;
        aborted = !isAudited({ seed: plan.seed, trialId: run }, slot.probability);
      }
    }
    if (look && !aborted) {
      slot.look += 1;
      continue;
    }
    rule = rule.learn({
      points: look ? curve.points.slice(0, look.seen) : curve.points,
      budget: curve.budget,
      final: aborted ? null : curve.final,
      run,
      wanted: slot.wanted,
      weight: 1 / (slot.probability ?? 1),
    });
    // If there was nothing to beat, the run is no evidence about the rule, as in the loop.
    if (slot.judgedBy !== null) {
      const good = aborted ? null : sign * curve.final < slot.judgedBy;
      calibration = updateCalibration(calibration, { good, auditProbability: slot.probability, target: errorTarget });
    }
    if (!aborted) best = Math.min(best, sign * curve.final);
    const index = order[slot.position] ?? 0;
    const bestTenth = sign * curve.final <= cut;
    const wouldBeIncumbent = wouldWin[slot.position] ?? false;
    const whole = course.end;
    const used = look?.share ?? whole;
    const { wanted, probability } = slot;
    runs.push({ curve: index, whole, used, wanted, probability, aborted, wouldBeIncumbent, bestTenth });
    start(slot, slot.began + used);
  }
  return { runs, best: sign * best };
}

/** The slot whose next look, or end, comes first; ties go to the run that is earlier in the order. */
function earliest(slots: readonly Slot[], courseIn: (slot: Slot) => Course | undefined): Slot | undefined {
  let [first, soonest]: [Slot | undefined, number] = [undefined, Infinity];
  for (const slot of slots) {
    const course = courseIn(slot);
    if (slot.position < 0 || !course) continue;
    const at = slot.began + (course.looks[slot.look]?.share ?? course.end);
    if (!first || at < soonest - 1e-12 || (at <= soonest + 1e-12 && slot.position < first.position))
      [first, soonest] = [slot, at];
  }
  return first;
}

/** The worst signed final of the best tenth. */
export function tenthOf(curves: readonly ReplayCurve[], sign: 1 | -1): number {
  const finals = curves.map((curve) => sign * curve.final).sort((a, b) => a - b);
  return finals[Math.max(0, Math.ceil(finals.length / 10) - 1)] ?? Infinity;
}

/**
 * For each position in the order: true if the run's final beats the incumbent. The result does not depend on the rule.
 * The incumbent of `running` is the best of all earlier runs in the order, aborted or not; the first run beats nothing.
 * The incumbent of `quantile` is the fixed number.
 */
function wouldBeIncumbents(
  curves: readonly ReplayCurve[],
  order: readonly number[],
  { sign, cut, plan }: { sign: 1 | -1; cut: number; plan: ReplayPlan },
): boolean[] {
  let best = Infinity;
  return order.map((index) => {
    const final = sign * (curves[index]?.final ?? Infinity);
    const beats = plan.incumbent === 'quantile' ? final < cut : best < Infinity && final < best;
    best = Math.min(best, final);
    return beats;
  });
}

/** The orders of a plan: the given one first, then shuffles. */
export function ordersOf(n: number, plan: Pick<ReplayPlan, 'repeats' | 'seed'>): number[][] {
  const random = createRandom(plan.seed);
  return Array.from({ length: plan.repeats }, (_, repeat) => {
    const order = Array.from({ length: n }, (_unused, i) => i);
    if (repeat > 0)
      for (let i = n - 1; i > 0; i -= 1) {
        const j = random.below(i + 1);
        [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
      }
    return order;
  });
}
