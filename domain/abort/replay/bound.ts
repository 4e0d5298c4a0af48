import { createRandom } from '../../random.ts';
import { binomialInterval } from '../../statistics/binomial-interval.ts';

/** False aborts of one curve over all repeats. */
export interface CurveCount {
  group: string;
  /** Repeats in which it was a case (would have become incumbent), and in which it was aborted then. */
  cases: number;
  hits: number;
}

/** A split that could not show this even without any false abort is undecided. */
const UNDECIDED_ABOVE = 0.04;
const RESAMPLES = 1000;

/**
 * Upper 95 % bound of hits per case. Shuffles of the same curves are not independent and neither are runs of one recipe,
 * so groups are resampled (percentile bootstrap, one-sided; Efron 1979). A bootstrap cannot see what never happened:
 * where few or no hits were seen it would give 0. The bound is therefore at least the exact one (Clopper–Pearson) that
 * counts each group once, with its share of hits, however many curves it has. 1 without any case.
 */
export function upperBound(counts: readonly CurveCount[], seed: number): number {
  const groups = groupsOf(counts);
  if (groups.length === 0) return 1;
  const shares = groups.reduce((sum, { hits, cases }) => sum + hits / cases, 0);
  const exact = binomialInterval(shares, groups.length, 0.95).high;
  return Math.max(exact, bootstrap(groups, seed, 0.95));
}

/** Lower and upper 95 % limits by the bootstrap alone, each one-sided; the upper one says nothing where few hits were seen. */
export function bootstrapLimits(counts: readonly CurveCount[], seed: number): { low: number; high: number } {
  const groups = groupsOf(counts);
  return { low: bootstrap(groups, seed, 0.05), high: bootstrap(groups, seed, 0.95) };
}

/** Whether even no false abort at all would leave the bound above {@link UNDECIDED_ABOVE}. */
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

/** A quantile of the share of hits when groups are drawn again. */
function bootstrap(groups: readonly Group[], seed: number, quantile: number): number {
  if (groups.every(({ hits }) => hits === 0)) return 0;
  const random = createRandom(seed);
  const rates = Array.from({ length: RESAMPLES }, () => {
    let [cases, hits] = [0, 0];
    for (let i = 0; i < groups.length; i += 1) {
      const drawn = groups[random.below(groups.length)];
      cases += drawn?.cases ?? 0;
      hits += drawn?.hits ?? 0;
    }
    return hits / cases;
  }).sort((a, b) => a - b);
  return rates[Math.ceil(quantile * RESAMPLES) - 1] ?? 1;
}
