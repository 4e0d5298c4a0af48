import { upperQuantile } from '../../statistics/student-t.ts';
import { directionOfCurve, shareCurve, signOf, windowMean } from '../share-curve.ts';
import { FEWEST, studentizeExternally } from '../rules/matched-time/against-all.ts';
import { lookGrid } from '../rules/matched-time/look.ts';
import { excess, regressionAt } from '../rules/matched-time/regression.ts';
import {
  emptyState,
  GRID,
  isPlausibleAt,
  learnMatched,
  type MatchedState,
  WINDOW,
} from '../rules/matched-time/state.ts';
import type { AbortConfig, FinishedCurve } from '../types.ts';

/**
 * Returns the reason why carried curves are dropped, or null. Baseline runs are of a known kind and ran on the current
 * machines. Their distance from the line through the carried runs, to either side and at any look, is compared with the
 * largest distance of a carried run from the line through the others. If most baseline runs lie further out, the
 * carried runs measure something else: another unit, other data, a faster machine. Few carried runs show no large
 * residual, so a distance up to Student's t over all looks also passes. Pure.
 */
export function whyDropped(
  carried: readonly FinishedCurve[],
  { baseline, config }: { baseline: readonly FinishedCurve[]; config: AbortConfig },
): string | null {
  const state = carried.reduce(learnMatched, emptyState(config));
  if (state.known.length < FEWEST) return `expected at least ${FEWEST} comparable curves, got ${state.known.length}`;
  const distances = baseline.flatMap((run) => distanceOf(state, run) ?? []).sort((a, b) => a - b);
  // The lower of two middle distances: most of the runs have to lie outside.
  const middle = distances[Math.floor((distances.length - 1) / 2)];
  if (middle === undefined) return 'no completed baseline run has a curve to test them against';
  const limit = largestDistance(state);
  if (middle <= limit) return null;
  return (
    `most of ${distances.length} baseline runs deviate from the carried curves by ${distanceText(middle)} ` +
    `standard errors; the limit is ${distanceText(limit)}`
  );
}

const distanceText = (distance: number): string => (distance === Infinity ? 'infinitely many' : distance.toFixed(1));

/** Distance of a run from the line through the known runs, in standard errors, at its farthest look; null: no curve. */
function distanceOf(state: MatchedState, { points, budget, final }: FinishedCurve): number | null {
  const { config } = state;
  const curve = shareCurve(points, budget, directionOfCurve(config));
  if (final === null || curve.shares.length < 2) return null;
  const y = signOf(config.direction) * final;
  const distances = lookGrid(config).map((g) => {
    const x = windowMean(curve, g / GRID, WINDOW) ?? Infinity;
    if (!isPlausibleAt(state, g)({ means: { [g]: x } })) return Infinity;
    return Math.abs(excess(regressionAt(state, g), x, y)?.z ?? 0);
  });
  return Math.max(...distances);
}

/** Largest distance of a known run from the line through the others, at least Student's t over all looks. */
function largestDistance(state: MatchedState): number {
  const { known, config } = state;
  const looks = lookGrid(config);
  const distances = looks.flatMap((g) => {
    const at = regressionAt(state, g);
    return known.filter(isPlausibleAt(state, g)).map(({ means, final }) => {
      const residual = excess(at, means[g] ?? 0, final);
      return residual === null ? 0 : Math.abs(studentizeExternally(residual, at.n));
    });
  });
  const t = upperQuantile(config.errorTarget / 2 / looks.length, known.length - 2);
  return Math.max(t, ...distances.filter(Number.isFinite));
}
