import type { CurvePoint, Direction, RunBudget } from './types.ts';

/** A curve as the rules read it: finite points over the share of the budget, rising shares, lower is better. */
export interface ShareCurve {
  shares: Float64Array;
  values: Float64Array;
  /** Integral of the piecewise linear curve from the first share on. */
  integral: Float64Array;
}

/** 1 where lower is better, −1 where higher is: a signed value is always to be minimised. */
export const signOf = (direction: Direction): 1 | -1 => (direction === 'minimize' ? 1 : -1);

/** Share of the budget that a point stands at; above 1 where a run went over it. */
export const shareOf = (point: CurvePoint, budget: RunBudget): number => USED[budget.kind](point) / budget.total;

/** A point that does not say its share, or whose time nobody saw, has none: it is left out. */
const USED: Record<RunBudget['kind'], (point: CurvePoint) => number> = {
  steps: ({ step }) => step,
  seconds: ({ elapsed }) => elapsed,
  shares: ({ share }) => share ?? Number.NaN,
};

/** Share of the last point that has one, whether its value is finite or not; null without one. */
export function lastShare(points: readonly CurvePoint[], budget: RunBudget): number | null {
  for (let i = points.length - 1; i >= 0; i -= 1) {
    const point = points[i];
    const share = point ? shareOf(point, budget) : Number.NaN;
    if (Number.isFinite(share)) return share;
  }
  return null;
}

/** How far before the present share a rule reads a curve: a mean over a tenth of the budget, at the fortieth before it. */
const LOOK_BACK = 1 / 10 + 1 / 40;

const hasTime = ({ elapsed }: CurvePoint): boolean => Number.isFinite(elapsed);

/**
 * True if the times of all points were seen, or do not matter. A curve drawn straight over a gap is not what a run did.
 * One that begins late, by burn-in, has none: it is as if its first line had come later.
 */
export function isWhole(points: readonly CurvePoint[], budget: RunBudget, burnIn: number): boolean {
  if (budget.kind !== 'seconds') return true;
  const begin = points.findIndex(hasTime);
  const first = points[begin];
  if (first === undefined) return points.length === 0;
  return points.slice(begin).every(hasTime) && (begin === 0 || shareOf(first, budget) <= burnIn);
}

/** True if a rule that looks now sees no part of the curve whose times nobody saw, at the beginning or later. */
export function isClear(points: readonly CurvePoint[], budget: RunBudget): boolean {
  if (budget.kind !== 'seconds' || points.every(hasTime)) return true;
  const first = points[points.findLastIndex((point) => !hasTime(point)) + 1];
  const last = points.at(-1);
  return first !== undefined && last !== undefined && shareOf(last, budget) - shareOf(first, budget) >= LOOK_BACK;
}

/** Drops what is not finite; of points at one share the last counts, and one that steps back is dropped. */
export function shareCurve(points: readonly CurvePoint[], budget: RunBudget, direction: Direction): ShareCurve {
  const sign = signOf(direction);
  const shares = new Float64Array(points.length);
  const values = new Float64Array(points.length);
  const integral = new Float64Array(points.length);
  let n = 0;
  for (const point of points) {
    const share = shareOf(point, budget);
    if (!Number.isFinite(point.value) || !Number.isFinite(share)) continue;
    const last = n > 0 ? (shares[n - 1] ?? 0) : -Infinity;
    if (share < last) continue;
    if (share === last) n -= 1;
    shares[n] = share;
    values[n] = sign * point.value;
    const before = n > 0 ? (values[n - 1] ?? 0) : 0;
    integral[n] =
      n > 0 ? (integral[n - 1] ?? 0) + ((share - (shares[n - 1] ?? 0)) * (before + sign * point.value)) / 2 : 0;
    n += 1;
  }
  return { shares: shares.subarray(0, n), values: values.subarray(0, n), integral: integral.subarray(0, n) };
}

/** Index of the last share that is at most `share`; −1 where there is none. */
export function indexAt(curve: ShareCurve, share: number): number {
  let low = -1;
  let high = curve.shares.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((curve.shares[middle] ?? Infinity) <= share) low = middle;
    else high = middle;
  }
  return low;
}

function integralTo(curve: ShareCurve, share: number): number {
  const i = indexAt(curve, share);
  if (i < 0) return 0;
  const [x, y, sum] = [curve.shares[i] ?? 0, curve.values[i] ?? 0, curve.integral[i] ?? 0];
  const right = curve.shares[i + 1];
  if (right === undefined) return sum + (share - x) * y;
  const slope = ((curve.values[i + 1] ?? y) - y) / (right - x);
  return sum + (share - x) * (y + (slope * (share - x)) / 2);
}

/**
 * Mean of the piecewise linear curve over (share − window, share]: the same smoothing for a run with few points and for
 * one with many. It looks at nothing beyond `share` as long as that is the share of a point. Null for an empty curve.
 */
export function windowMean(curve: ShareCurve, share: number, window: number): number | null {
  const first = curve.shares[0];
  if (first === undefined) return null;
  const from = Math.max(first, share - window);
  if (share - from < 1e-9) return curve.values[Math.max(0, indexAt(curve, share))] ?? null;
  return (integralTo(curve, share) - integralTo(curve, from)) / (share - from);
}
