import { upperQuantile } from '../../statistics/student-t.ts';
import { lastShare, directionOfCurve, shareCurve, signOf, windowMean } from '../share-curve.ts';
import { intervalOf } from '../interval.ts';
import { againstAll, FEWEST, residualLimit } from './matched-time/against-all.ts';
import { againstGood, PEERS, peersOf } from './matched-time/against-good.ts';
import { type Look, lookGrid } from './matched-time/look.ts';
import { isAntiCorrelated, regressionAt, type Regression } from './matched-time/regression.ts';
import { emptyState, GRID, learnMatched, WINDOW, type MatchedState } from './matched-time/state.ts';
import { plainDecision, whyTooEarly } from './plain-decision.ts';
import { NO_SETTINGS } from '../../method/axis.ts';
import { percent, formatAbortNumber } from '../../text/format.ts';
import { plural } from '../../text/plural.ts';
import { type AbortDecision, type AbortInput, defineAbort, type Direction } from '../types.ts';

/**
 * Judges a run by the values of finished runs at the same share of the budget. Either of two tests stops it. Both
 * compare its score with the largest scores of whole curves, so any number of looks (on the grid of looks) counts once.
 *
 * 1. Residuals of all runs (`againstAll`): the run lies further above the regression at the incumbent's final than
 *    finished runs lay above it at their own finals. Strong if curves predict the end, silent if recipes differ.
 * 2. Good runs only (`againstGood`): the run lies above that regression and behind all good finished runs, by more than
 *    any of these ever lay behind the others. Good runs are those that ended at least as well as the incumbent. They
 *    are filled up with the next best to {@link PEERS}, or to a fifth of the known runs up to 30.
 *
 * Suppose that the scores of m good runs and of a new good run are exchangeable. Then the new one exceeds all m with
 * probability at most 1 / (m + 1), and the ⌈(1 − α)(m + 1)⌉-th smallest with probability at most α (Vovk, Gammerman and
 * Shafer 2005, Prop. 2.3; Lei et al. 2018, Thm 2.2). Two things keep the second test from that exact bound:
 *
 *  - A peer's score leaves the peer out of the envelope, but not out of the regression and the scale. The exact form
 *    would need a fit for each peer.
 *  - Peers are not exchangeable with a run that would become incumbent: at most one of them ended as well as a running
 *    incumbent, the rest are the next best. That is safe if better runs look better. It is wrong by design if the best
 *    runs look worst at first (crossing curves): then the regression, which both tests use, and the audit must catch
 *    it.
 *
 * An outlier at a look (`outlierBoundsOf`; mostly another unit) of a finished run is in no sum, limit or envelope. An
 * outlier of the judged run counts as it is, and stops the run: it diverged, or began slowly. This costs
 * the first good run that prints another unit, if that run is not audited. Once a good run (as good as the incumbent,
 * or of the better half and the best 30) had an outlier at that look, other runs with one there are not judged.
 *
 * The bounds are 9 % with 10 runs and 8 % with 12 peers, and hold only while all would-be stops are audited. Later,
 * stopped runs are missing, and audited ones represent them by their weight. So 2 % is measured by the audit, not
 * proven. The measured share is below 2 % in most families of curves, because the rule also requires evidence above 0
 * and Student's t (docs/concepts/early-abort.md).
 */
export const matchedTime = defineAbort({
  settings: NO_SETTINGS,
  stops: true,
  needsEnded: FEWEST,
  canTighten: true,
  takesCurveForMetric: false,
  carries: true,
  init: emptyState,
  learn: (state, curve) => {
    const next = learnMatched(state, curve);
    return next.known === state.known ? next : { ...next, limit: residualLimit(next) };
  },
  decide: (state, input) => ({ state, decision: decide(state, input) }),
});

function tooFew({ known, absurd }: MatchedState): string {
  const aside = absurd.length > 0 ? ` (without ${plural(absurd.length, 'outlier')})` : '';
  return `${known.length} completed runs to compare with${aside}; the rule needs ${FEWEST}`;
}

/** Reason of each decision once curves are anti-correlated with finals: the rule then stops nothing. */
export const ANTI_CORRELATED_REASON =
  'among the finished runs, better curves led to worse results, so that a curve does not predict the result; ' +
  'check progress.direction';

const outlierReason = (n: number): string =>
  `its value is an outlier among finished runs, and so was the value of ${plural(n, 'good run')}: ` +
  'the rule does not judge it';

/** Best known runs that count as good, whatever `y` is. */
const BEST = 30;
/** Divisor of the known runs that caps {@link BEST}: otherwise all of thirty or fewer runs would count as good. */
const ONE_IN = 2;

/**
 * Counts the good runs with a value above the outlier bounds at this look, if the judged run's value is above them,
 * too. Bad runs do not count: a bad run that began slowly would save all runs that begin slowly from being stopped.
 */
function countGoodOutliers(state: MatchedState, { g, x, y }: Pick<Look, 'g' | 'x' | 'y'>): number {
  const upper = state.sums[g]?.fence.to ?? Infinity;
  if (x <= upper) return 0;
  const fewest = Math.min(BEST, Math.ceil(state.known.length / ONE_IN));
  return peersOf(state, y, fewest).filter(({ means }) => (means[g] ?? 0) > upper).length;
}

function decide(state: MatchedState, { points, budget, incumbent, strictness = 1 }: AbortInput): AbortDecision {
  const { config, known } = state;
  const share = lastShare(points, budget);
  const early = whyTooEarly(share, config.burnIn);
  if (early !== null || share === null) return plainDecision(false, share, early ?? 'no point yet');
  if (known.length < FEWEST) return plainDecision(false, share, tooFew(state));
  // The run is judged at the last grid point that it has passed: the limits hold for grid points only.
  const g = lookGrid(config).findLast((look) => look <= share * GRID + 1e-9);
  if (g === undefined) return plainDecision(false, share, 'no look yet');
  const x = windowMean(shareCurve(points, budget, directionOfCurve(config)), g / GRID, WINDOW);
  if (x === null) return plainDecision(false, share, 'no finite value yet');
  if (isAntiCorrelated(state)) return plainDecision(false, share, ANTI_CORRELATED_REASON);
  const at = regressionAt(state, g);
  const prediction = forecast(at, x, config.direction);
  if (incumbent === null || !Number.isFinite(incumbent))
    return { ...plainDecision(false, share, 'there is no incumbent yet'), ...prediction };
  const look = { g, at, x, y: signOf(config.direction) * incumbent, strictness };
  const outliers = countGoodOutliers(state, look);
  if (outliers > 0) return plainDecision(false, share, outlierReason(outliers));
  const byAll = againstAll(state, look);
  const verdict = byAll.abort || known.length < PEERS ? byAll : againstGood(state, look);
  const target = `a run that ends as well as ${formatAbortNumber(incumbent)}`;
  const reason = `at ${percent(share)} it is ${verdict.describe(target)}${verdict.abort ? '' : ': it goes on'}`;
  return { ...plainDecision(verdict.abort, share, reason), ...prediction };
}

/** Least squares of the final on the value, with the interval of a new observation (Student's t, 95 %). */
function forecast(at: Regression, x: number, direction: Direction): Pick<AbortDecision, 'forecast' | 'interval'> {
  const { n, meanX, meanY, xx, yy, xy } = at;
  const sign = signOf(direction);
  const slope = xx > 0 ? xy / xx : 0;
  const middle = meanY + slope * (x - meanX);
  const rest = Math.max(0, yy - slope * xy) / (n - 2);
  const half = upperQuantile(0.025, n - 2) * Math.sqrt(rest * (1 + 1 / n + (xx > 0 ? (x - meanX) ** 2 / xx : 0)));
  return { forecast: sign * middle, interval: intervalOf(sign * (middle - half), sign * (middle + half)) };
}
