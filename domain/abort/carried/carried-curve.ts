import { hasAllTimes, shareCurve, windowMean } from '../share-curve.ts';
import type { FinishedCurve } from '../types.ts';

/** Finished runs of earlier researches that one begins with, at most: the newest. */
export const MOST_CARRIED = 200;
/** Parts of the budget of which a carried curve keeps the mean: rules read means over eight of them, at each second one. */
const PARTS = 80;
/** Of the budget: so near to the next part a part's mean holds. */
const EDGE = 1e-7;
/** Digits that are kept. */
const DIGITS = 7;

/** A finished run as the next research begins with it. Plain JSON. */
export interface CarriedCurve {
  trialId: string;
  final: number;
  /** Inverse of the probability with which it was let run to its end. */
  weight: number;
  /** Share of the budget from which a part of it begins, and the mean of the curve over it. */
  values: [from: number, mean: number][];
}

/** What is kept of a finished run, or null for one that teaches nothing: without a finite end, or a curve that is whole. Pure. */
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
  // What a run showed first stands for what it showed before.
  return { trialId, final, weight, values: [[first, rounded(curve.values[0] ?? 0)], ...values] };
}

const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

/** The run as a rule learns it: a curve of steps, which has the means that the run's own had over any number of parts. */
export const toFinishedCurve = ({ trialId, final, weight, values }: CarriedCurve): FinishedCurve => ({
  points: values.flatMap(([from, value], i) =>
    [from, (values[i + 1]?.[0] ?? 1) - EDGE].map((share) => ({ step: share, elapsed: share, share, value })),
  ),
  budget: { kind: 'shares', total: 1 },
  final,
  run: trialId,
  weight,
});
