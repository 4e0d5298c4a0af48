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
 * Why carried curves are not to be compared with, or null. The baseline runs of the research are runs of a known kind on the
 * machines of now: where most of them lie further from the line through the carried ones than any carried run lies from the
 * line through the others, to either side and at any look, the carried ones are of something else (another unit, other data,
 * a faster machine). As few carried ones tell no large residual, Student's t over all looks is let pass, too. Pure.
 */
export function whyDropped(
  carried: readonly FinishedCurve[],
  { baseline, config }: { baseline: readonly FinishedCurve[]; config: AbortConfig },
): string | null {
  const state = carried.reduce(learnMatched, emptyState(config));
  if (state.known.length < FEWEST)
    return `${state.known.length} of them can be compared with, and ${FEWEST} are needed`;
  const distances = baseline.flatMap((run) => distanceOf(state, run) ?? []).sort((a, b) => a - b);
  // The lower one of two in the middle: most of the runs have to lie outside.
  const middle = distances[Math.floor((distances.length - 1) / 2)];
  if (middle === undefined) return 'no baseline run came to its end with a curve to test them by';
  const most = farthest(state);
  if (middle <= most) return null;
  return (
    `most of ${distances.length} baseline runs lie ${words(middle)} standard errors from what carried runs of their end show, ` +
    `and these lie at most ${words(most)} from each other`
  );
}

const words = (distance: number): string => (distance === Infinity ? 'more than can be said' : distance.toFixed(1));

/** How far a run lies from the line through the known ones, at the look where it lies farthest; null without a curve. */
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

/** How far a known run lies from the line through the others, at most, or Student's t at the error target over all looks. */
function farthest(state: MatchedState): number {
  const { known, config } = state;
  const looks = lookGrid(config);
  const distances = looks.flatMap((g) => {
    const at = regressionAt(state, g);
    return known.filter(isPlausibleAt(state, g)).map(({ means, final }) => {
      const own = excess(at, means[g] ?? 0, final);
      return own === null ? 0 : Math.abs(studentizeExternally(own, at.n));
    });
  });
  const t = upperQuantile(config.errorTarget / 2 / looks.length, known.length - 2);
  return Math.max(t, ...distances.filter(Number.isFinite));
}
