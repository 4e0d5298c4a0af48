import { binomialInterval } from '../../statistics/binomial-interval.ts';
import { countRuns, falseAborts, NO_COUNTS, wrongStops, type AuditCounts, type Audited } from './counts.ts';
import { lowerLimit } from './evidence.ts';

/** Error of each one-sided limit of a weighted share. */
const DELTA = 0.05;

export interface AuditEstimate {
  /** Audited would-be aborts, and how many of them ended well. */
  audited: number;
  wrong: number;
  /** Share of audited aborts that were wrong, each counted once, with its exact two-sided 95 % interval. */
  direct: number | null;
  low: number;
  high: number;
  /** Exact one-sided upper limit of that share, at 95 % (0 of 6: .393); 1 without an audited abort. */
  under: number;
  /** Share of would-be aborts that end well, audited ones weighted by 1/p, with its lower limit. */
  wrongStops: number | null;
  wrongStopsLow: number;
  /** Share of good runs that the rule aborts, weighted in the same way, with its lower and upper limits. */
  falseAborts: number | null;
  falseAbortsLow: number;
  falseAbortsHigh: number;
  verdict: 'below target' | 'wrong stops below target' | 'above target' | 'too few to say';
}

/**
 * Estimates false aborts from audits. Audits are drawn with different probabilities, so unweighted audited runs
 * resemble the would-be aborts of the time when all were audited. The direct rate, with the interval of Clopper and
 * Pearson, reports what was observed. The verdict comes from the weighted shares, whose lower limits of 95 % hold at
 * every look (`lowerLimit`):
 *
 *  - above target: the lower limit of a weighted share is above the target;
 *  - wrong stops below target: neither weighted share is above the target, nor is the upper limit U of would-be aborts
 *    that end well. U is the larger of two limits at 97.5 % (Clopper–Pearson): that of the direct rate, and that over
 *    the strata of equal probability (error shared over the strata by Bonferroni, each weighted by its would-be
 *    aborts). If none was wrong, U falls below 2 % at 183 audits of one probability;
 *  - below target: also, the upper limit of good runs that are lost is at most the target. At most U·W of the W
 *    would-be aborts end well, and the G good survivors are known: U·W / (U·W + G). Few runs end well, so this is
 *    seldom shown.
 */
export function estimateErrors(runs: readonly Audited[], target: number): AuditEstimate {
  const counts = runs.reduce(countRuns, NO_COUNTS);
  const audited = sumOf(counts, (stratum) => stratum.audited);
  const wrong = sumOf(counts, (stratum) => stratum.good);
  const { low, high } = audited === 0 ? { low: 0, high: 1 } : binomialInterval(wrong, audited, 0.975);
  const under = audited === 0 ? 1 : binomialInterval(wrong, audited, 1 - DELTA).high;
  const shares = {
    wrongStops: wrongStops(counts),
    wrongStopsLow: lowerLimit('wrongStops', counts, DELTA),
    falseAborts: falseAborts(counts),
    falseAbortsLow: lowerLimit('falseAborts', counts, DELTA),
  };
  const above = Math.max(shares.wrongStopsLow, shares.falseAbortsLow) > target;
  const wrongStopsHigh = Math.max(high, upperLimit(counts));
  const falseAbortsHigh = lostAtMost(wrongStopsHigh, counts);
  const most = Math.max(wrongStopsHigh, shares.wrongStops ?? 0, shares.falseAborts ?? 0);
  let verdict: AuditEstimate['verdict'] = 'too few to say';
  if (above) verdict = 'above target';
  else if (most <= target) verdict = falseAbortsHigh <= target ? 'below target' : 'wrong stops below target';
  const direct = audited === 0 ? null : wrong / audited;
  return { audited, wrong, direct, low, high, under, ...shares, falseAbortsHigh, verdict };
}

/** Upper limit of the share of good runs that are lost, from the limit of wrong stops; 1 without good survivors. */
function lostAtMost(wrongStopsHigh: number, counts: AuditCounts): number {
  if (counts.survivors === 0) return 1;
  const lost = wrongStopsHigh * sumOf(counts, ({ runs }) => runs);
  return lost / (lost + counts.survivors);
}

/** Upper limit of the share of would-be aborts that end well, over strata. A stratum without an audit counts as 1. */
function upperLimit(counts: AuditCounts): number {
  const { wanted } = counts;
  const confidence = 1 - 0.025 / wanted.length;
  const most = wanted.map(({ runs, audited, good }) =>
    audited === 0 ? runs : runs * binomialInterval(good, audited, confidence).high,
  );
  const all = sumOf(counts, ({ runs }) => runs);
  return all === 0 ? 1 : most.reduce((sum, limit) => sum + limit, 0) / all;
}

const sumOf = ({ wanted }: AuditCounts, countOf: (stratum: AuditCounts['wanted'][number]) => number): number =>
  wanted.reduce((sum, stratum) => sum + countOf(stratum), 0);
