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
import { type AbortDecision, type AbortInput, defineAbort, type Direction } from '../types.ts';

/**
 * Judges a run by what finished runs showed at the same share of the budget. Either of two tests stops it; both compare
 * its score with the largest scores of whole curves, so any number of looks (on the grid of looks) counts once.
 *
 * 1. Residuals of all runs (`againstAll`): it lies further above what a run of the incumbent's final shows than finished
 *    runs lay above what their own finals show. Strong where curves tell the end, silent where recipes differ.
 * 2. Good runs only (`againstGood`): it lies above that and behind all good finished runs, by more than any of these ever lay
 *    behind the others. If the scores of m good runs and of a new good run are exchangeable, the new one exceeds all m with
 *    probability at most 1 / (m + 1), and the ⌈(1 − α)(m + 1)⌉-th smallest with probability at most α (Vovk, Gammerman and
 *    Shafer 2005, Prop. 2.3; Lei et al. 2018, Thm 2.2). Good means: ended at least as well as the incumbent, filled up with
 *    the next best to {@link PEERS}, or a fifth of the known runs up to 30. Peers are scored without themselves in the envelope while they stay in the regression and
 *    in the scale: the exact form of the bound would need a fit for each. Nor are they exchangeable with a run that would
 *    become incumbent: at most one of them ended as well as a running incumbent, the rest are the next best. That is safe where
 *    better runs look better, and wrong by design where what ends best looks worst at first (crossing curves): there the
 *    regression, which both tests ask as well, and the audit have to see it.
 *
 * A value that is absurd next to the others' at that look (`outlierBoundsOf`: another unit, most often) is no score: such looks of finished
 * runs are in no sum, no limit and no envelope. A run that shows one is judged by its value as it is, and stopped: that is how one
 * that has gone astray is, or began slowly. It costs the first good run that prints another unit, if it isn't audited; once one
 * of the good runs (as good as the incumbent, or of the better half and the best 30) showed such a value at that look, others that do
 * are not judged there.
 *
 * These are bounds of 9 % with 10 runs and 8 % with 12 peers, and only while all would-be stops are audited: later, runs
 * that were stopped are missing, and audited ones stand for them by their weight. So 2 % is measured by the audit, not
 * proven. What is seen is below it in most families of curves, because evidence above 0 and Student's t are asked for as
 * well (docs/concepts/early-abort.md).
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
  const aside = absurd.length > 0 ? ` (${absurd.length} more ended absurdly badly and are left out)` : '';
  return `${known.length} completed runs are too few to compare with${aside}; ${FEWEST} are needed`;
}

/** The reason of a decision where the rule stops nothing any more. */
export const ANTI_CORRELATED_REASON =
  'finished runs whose curves looked better ended worse, so curves say nothing of the end: is progress.direction right?';

const asOdd = (n: number): string =>
  `its value is absurd next to those of finished runs, as was that of ${n} more, which ended well: nothing is told by it`;

/** Best known runs that are good enough to count, whatever `y` is, */
const BEST = 30;
/** but no more than one in so many: of thirty or fewer it would be all of them. */
const ONE_IN = 2;

/**
 * How many good runs showed a value absurdly above the others' there, if that of the run that is judged is one, too. Bad runs do not
 * count: one that began slowly, and ended as it looked, would keep all that begin so from being stopped.
 */
function howManyAsOdd(state: MatchedState, { g, x, y }: Pick<Look, 'g' | 'x' | 'y'>): number {
  const to = state.sums[g]?.fence.to ?? Infinity;
  if (x <= to) return 0;
  const fewest = Math.min(BEST, Math.ceil(state.known.length / ONE_IN));
  return peersOf(state, y, fewest).filter(({ means }) => (means[g] ?? 0) > to).length;
}

function decide(state: MatchedState, { points, budget, incumbent, strictness = 1 }: AbortInput): AbortDecision {
  const { config, known } = state;
  const share = lastShare(points, budget);
  const early = whyTooEarly(share, config.burnIn);
  if (early !== null || share === null) return plainDecision(false, share, early ?? 'no point yet');
  if (known.length < FEWEST) return plainDecision(false, share, tooFew(state));
  // The last look that the run has passed: no other is in the limits.
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
  const odd = howManyAsOdd(state, look);
  if (odd > 0) return plainDecision(false, share, asOdd(odd));
  const byAll = againstAll(state, look);
  const verdict = byAll.abort || known.length < PEERS ? byAll : againstGood(state, look);
  const target = `a run that ends as well as ${formatAbortNumber(incumbent)}`;
  const reason = `at ${percent(share)} it is ${verdict.words(target)}${verdict.abort ? '' : ': it goes on'}`;
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
