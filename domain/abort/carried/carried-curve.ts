import { hasAllTimes, shareCurve, windowMean } from '../share-curve.ts';
import type { FinishedCurve } from '../types.ts';

/**
 * Most finished runs of earlier researches that a research begins with: the newest. With more, the limits of
 * `matched-time` rise, and a research saves less where curves differ (docs/experiments/0039).
 */
export const MOST_CARRIED = 30;
/** Parts of the budget whose means a carried curve keeps. Rules read means over eight parts, at every second part. */
const PARTS = 80;
/** Share of the budget between the end of one part's mean and the start of the next. */
const EDGE = 1e-7;
/** Significant digits that are kept. */
const DIGITS = 7;

/** A finished run as the next research begins with it. Plain JSON. */
export interface CarriedCurve {
  trialId: string;
  final: number;
  /** Inverse of the probability with which the run was let run to its end. */
  weight: number;
  /** Each part's start, as a share of the budget, and the mean of the curve over the part. */
  values: [from: number, mean: number][];
}

/** Reduces a finished run to its carried curve; null if its end is not finite or its curve has gaps. Pure. */
export function toCarriedCurve(trialId: string, finished: FinishedCurve, burnIn: number): CarriedCurve | null {
  const { points, budget, final, weight = 1 } = finished;
  if (final === null || !Number.isFinite(final) || !hasAllTimes(points, budget, burnIn)) return null;
  // The direction does not matter for means.
  const curve = shareCurve(points, budget, 'minimize');
  const first = curve.shares[0];
  if (first === undefined || curve.shares.length < 2) return null;
  const values = Array.from({ length: PARTS }, (_, part): [number, number] | null => {
    const [from, to] = [part / PARTS, (part + 1) / PARTS];
    const mean = to <= first ? null : windowMean(curve, to, 1 / PARTS);
    return mean === null ? null : [Math.max(from, first + EDGE), rounded(mean)];
  }).filter((value) => value !== null);
  // The first value also stands for the time before it.
  return { trialId, final, weight, values: [[first, rounded(curve.values[0] ?? 0)], ...values] };
}

const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

/** The run as a rule learns it: a step curve with the same means as the run's own curve over any number of parts. */
export const toFinishedCurve = ({ trialId, final, weight, values }: CarriedCurve): FinishedCurve => ({
  points: values.flatMap(([from, value], i) =>
    [from, (values[i + 1]?.[0] ?? 1) - EDGE].map((share) => ({ step: share, elapsed: share, share, value })),
  ),
  budget: { kind: 'shares', total: 1 },
  final,
  run: trialId,
  weight,
});
