import type { AbortConfig, CurvePoint, Direction, RunBudget } from './types.ts';

/** A curve as the rules read it: finite points, rising shares of the budget, values signed so that lower is better. */
export interface ShareCurve {
  shares: Float64Array;
  values: Float64Array;
}

/** Sign of a direction: 1 if lower is better, −1 if higher is. A signed value is always to be minimised. */
export const signOf = (direction: Direction): 1 | -1 => (direction === 'minimize' ? 1 : -1);

/** The direction in which a curve's values improve; by default the metric's. */
export const directionOfCurve = ({
  direction,
  curveDirection = direction,
}: Pick<AbortConfig, 'direction' | 'curveDirection'>): Direction => curveDirection;

/** Share of the budget used at a point; above 1 if the run exceeded its budget, NaN if the share is unknown. */
export const shareOf = (point: CurvePoint, budget: RunBudget): number => USED[budget.kind](point) / budget.total;

/** Budget used at a point. NaN if the run printed no share, or if the time of the line is unknown: callers skip it. */
const USED: Record<RunBudget['kind'], (point: CurvePoint) => number> = {
  steps: ({ step }) => step,
  seconds: ({ elapsed }) => elapsed,
  shares: ({ share }) => share ?? Number.NaN,
};

/** Share of the last point that has one (a step below 0 has none), whether its value is finite or not; else null. */
export function lastShare(points: readonly CurvePoint[], budget: RunBudget): number | null {
  for (let i = points.length - 1; i >= 0; i -= 1) {
    const point = points[i];
    const share = point ? shareOf(point, budget) : Number.NaN;
    if (share >= 0 && share < Infinity) return share;
  }
  return null;
}

/** Span before the current share that a rule reads: a mean over a tenth of the budget, ending up to a fortieth back. */
const LOOK_BACK = 1 / 10 + 1 / 40;

const hasTime = ({ elapsed }: CurvePoint): boolean => Number.isFinite(elapsed);

/**
 * True if the times of all points are known, or do not matter: a straight line over a gap is not what the run did.
 * Points without a time before the first timed one are no gap, if that one comes by burn-in: the curve begins late.
 */
export function hasAllTimes(points: readonly CurvePoint[], budget: RunBudget, burnIn: number): boolean {
  if (budget.kind !== 'seconds') return true;
  const begin = points.findIndex(hasTime);
  const first = points[begin];
  if (first === undefined) return points.length === 0;
  return points.slice(begin).every(hasTime) && (begin === 0 || shareOf(first, budget) <= burnIn);
}

/** True if a look now would read no part of the curve whose times are unknown, at the beginning or later. */
export function hasRecentTimes(points: readonly CurvePoint[], budget: RunBudget): boolean {
  if (budget.kind !== 'seconds' || points.every(hasTime)) return true;
  const first = points[points.findLastIndex((point) => !hasTime(point)) + 1];
  const last = points.at(-1);
  return first !== undefined && last !== undefined && shareOf(last, budget) - shareOf(first, budget) >= LOOK_BACK;
}

/** True if no gap of untimed points touches the part between these shares. A late first time is no gap. */
export function hasTimesBetween(
  points: readonly CurvePoint[],
  budget: RunBudget,
  { from, to }: { from: number; to: number },
): boolean {
  if (budget.kind !== 'seconds') return true;
  let [before, gap] = [-Infinity, false];
  for (const point of points) {
    if (before >= to) return true;
    if (!hasTime(point)) gap = before > -Infinity;
    else {
      const share = shareOf(point, budget);
      if (gap && share > from) return false;
      [before, gap] = [share, false];
    }
  }
  return !gap || before >= to;
}

/** Builds the curve by shares. Drops points that are not finite or step back; the last of several at a share counts. */
export function shareCurve(points: readonly CurvePoint[], budget: RunBudget, direction: Direction): ShareCurve {
  const sign = signOf(direction);
  const shares = new Float64Array(points.length);
  const values = new Float64Array(points.length);
  let n = 0;
  for (const point of points) {
    const share = shareOf(point, budget);
    if (!Number.isFinite(point.value) || !Number.isFinite(share)) continue;
    const last = n > 0 ? (shares[n - 1] ?? 0) : -Infinity;
    if (share < last) continue;
    if (share === last) n -= 1;
    shares[n] = share;
    values[n] = sign * point.value;
    n += 1;
  }
  return { shares: shares.subarray(0, n), values: values.subarray(0, n) };
}

/** Index of the last share that is at most `share`; −1 if there is none. */
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

/** Value of the piecewise linear curve at a share; constant before its first point and after its last. */
function valueAt(curve: ShareCurve, share: number): number {
  const i = Math.max(0, indexAt(curve, share));
  const [x, y] = [curve.shares[i] ?? 0, curve.values[i] ?? 0];
  const right = curve.shares[i + 1];
  if (right === undefined || share <= x) return y;
  return y + (((curve.values[i + 1] ?? y) - y) * (share - x)) / (right - x);
}

/**
 * Mean of the piecewise linear curve over (share − window, share]: runs with few points and with many are smoothed
 * alike. If `share` is the share of a point, nothing beyond it is read. Nothing before the window is read, so one
 * absurd value reaches no further. Null for an empty curve, and if the mean is not finite.
 */
export function windowMean(curve: ShareCurve, share: number, window: number): number | null {
  const first = curve.shares[0];
  if (first === undefined) return null;
  const from = Math.max(first, share - window);
  if (share - from < 1e-9) return curve.values[Math.max(0, indexAt(curve, share))] ?? null;
  let [area, left, y] = [0, from, valueAt(curve, from)];
  for (let i = indexAt(curve, from) + 1; left < share; i += 1) {
    const right = Math.min(share, curve.shares[i] ?? share);
    const next = valueAt(curve, right);
    area += (right - left) * (y / 2 + next / 2);
    [left, y] = [right, next];
  }
  const mean = area / (share - from);
  return Number.isFinite(mean) ? mean : null;
}
