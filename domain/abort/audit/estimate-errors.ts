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
  /** What that share is under, with 95 %: the exact one-sided limit (0 of 6: .393); 1 without an audited one. */
  under: number;
  /** Share of would-be aborts that end well, audited ones weighted by 1/p, and its lower limit. */
  wrongStops: number | null;
  wrongStopsLow: number;
  /** Share of good runs that the rule aborts, weighted in the same way, its lower and its upper limit. */
  falseAborts: number | null;
  falseAbortsLow: number;
  falseAbortsHigh: number;
  verdict: 'below target' | 'wrong stops below target' | 'above target' | 'too few to say';
}

/**
 * False aborts as audits measure them. Audits are drawn with different probabilities, so the audited runs as they are
 * look like the would-be aborts of the time when all were audited. The direct rate with the interval of Clopper and
 * Pearson says what was seen; the weighted shares say what it means, with lower limits of 95 % each that hold at every
 * look (`lowerLimit`), and the verdict is theirs:
 *
 *  - above target: the lower limit of a weighted share is;
 *  - wrong stops below target: no weighted share is above it, and neither is the upper limit U of would-be aborts that end
 *    well: of the direct rate, and of the strata of equal probability (Clopper–Pearson at 97.5 %, the error shared out over
 *    the strata by Bonferroni, each weighted by its would-be aborts). Without any wrong one it takes 183 audits of one
 *    probability until that is below 2 %;
 *  - below target: neither is the upper limit of good runs that are lost. At most U·W of the W would-be aborts end well, and
 *    the G good survivors are known: U·W / (U·W + G). Few runs end well, so that this is seldom shown.
 */
export function estimateErrors(runs: readonly Audited[], target: number): AuditEstimate {
  const counts = runs.reduce(countRuns, NO_COUNTS);
  const [audited, wrong] = [sumOf(counts, (one) => one.audited), sumOf(counts, (one) => one.good)];
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
  const below = falseAbortsHigh <= target ? 'below target' : 'wrong stops below target';
  const verdict = above ? 'above target' : most <= target ? below : 'too few to say';
  const direct = audited === 0 ? null : wrong / audited;
  return { audited, wrong, direct, low, high, under, ...shares, falseAbortsHigh, verdict };
}

/** Upper limit of the share of good runs that are lost, from that of would-be aborts that end well; 1 without good survivors. */
function lostAtMost(wrongStopsHigh: number, counts: AuditCounts): number {
  if (counts.survivors === 0) return 1;
  const lost = wrongStopsHigh * sumOf(counts, ({ runs }) => runs);
  return lost / (lost + counts.survivors);
}

/** Upper limit of the share of would-be aborts that end well, over strata; 1 where one of them was not audited at all. */
function upperLimit(counts: AuditCounts): number {
  const { wanted } = counts;
  const confidence = 1 - 0.025 / wanted.length;
  const most = wanted.map(({ runs, audited, good }) =>
    audited === 0 ? runs : runs * binomialInterval(good, audited, confidence).high,
  );
  const all = sumOf(counts, ({ runs }) => runs);
  return all === 0 ? 1 : most.reduce((sum, one) => sum + one, 0) / all;
}

const sumOf = ({ wanted }: AuditCounts, of: (one: AuditCounts['wanted'][number]) => number): number =>
  wanted.reduce((sum, one) => sum + of(one), 0);
