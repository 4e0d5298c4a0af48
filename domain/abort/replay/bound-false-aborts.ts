import { createRandom } from '../../statistics/random.ts';
import { binomialInterval } from '../../statistics/binomial-interval.ts';

/** False aborts of one curve over all repeats. */
export interface CurveCount {
  group: string;
  /** Repeats in which the curve was a case (would have become incumbent), and cases in which it was aborted. */
  cases: number;
  hits: number;
}

/** Upper limit above which a result without a single false abort would be undecided. */
export const UNDECIDED_ABOVE = 0.04;
const RESAMPLES = 1000;
/** Groups from which on a bootstrap shows how much groups differ. */
const ENOUGH_GROUPS = 20;

/**
 * Lower and upper 95 % limits of hits per case, each one-sided; 0 and 1 without any case. Shuffles of the same curves
 * are not independent, and neither are runs of one recipe, so groups are resampled (percentile bootstrap; Efron 1979).
 *
 * With few or no hits the bootstrap's upper limit would be 0. So the upper limit is at least the exact one
 * (Clopper–Pearson), which counts each group once, with its share of hits, however many curves it has. With few groups
 * the bootstrap does not show how groups differ: a single group drawn again is always the same. So below
 * {@link ENOUGH_GROUPS} the lower limit is at most the exact one.
 */
export function boundFalseAborts(counts: readonly CurveCount[], seed: number): { low: number; high: number } {
  const groups = groupsOf(counts);
  if (groups.length === 0) return { low: 0, high: 1 };
  const shares = groups.reduce((sum, { hits, cases }) => sum + hits / cases, 0);
  const exact = binomialInterval(shares, groups.length, 0.95);
  const rates = resampled(groups, seed, rateOf);
  const [low, high] = [quantileOf(rates, 0.05), quantileOf(rates, 0.95)];
  return {
    low: groups.length < ENOUGH_GROUPS ? Math.min(exact.low, low) : low,
    high: Math.max(exact.high, high),
  };
}

/** True if the bound would be above {@link UNDECIDED_ABOVE} even without a single false abort. */
export function isUndecided(counts: readonly CurveCount[]): boolean {
  const { length } = groupsOf(counts);
  return length === 0 || binomialInterval(0, length, 0.95).high > UNDECIDED_ABOVE;
}

interface Group {
  cases: number;
  hits: number;
}

/** Groups with a case. */
function groupsOf(counts: readonly CurveCount[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { group, cases, hits } of counts) {
    const before = groups.get(group) ?? { cases: 0, hits: 0 };
    groups.set(group, { cases: before.cases + cases, hits: before.hits + hits });
  }
  return [...groups.values()].filter(({ cases }) => cases > 0);
}

function rateOf(groups: readonly Group[]): number {
  let [cases, hits] = [0, 0];
  for (const group of groups) {
    cases += group.cases;
    hits += group.hits;
  }
  return hits / cases;
}

/** Bootstrap: the statistic of 1,000 resamples of the groups, each of the same size, drawn with replacement. Pure. */
export function resampled<Item>(
  groups: readonly Item[],
  seed: number,
  statistic: (drawn: readonly Item[]) => number,
): number[] {
  const random = createRandom(seed);
  const draw = (): Item[] => groups.map((group) => groups[random.below(groups.length)] ?? group);
  return Array.from({ length: RESAMPLES }, () => statistic(draw()));
}

/** Smallest of the values that the share `quantile` of them does not exceed; NaN for an empty list. */
export function quantileOf(values: readonly number[], quantile: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(quantile * sorted.length) - 1] ?? Number.NaN;
}
