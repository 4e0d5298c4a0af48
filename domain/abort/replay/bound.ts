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
export const UNDECIDED_ABOVE = 0.04;
const RESAMPLES = 1000;

/**
 * Upper 95 % bound of hits per case. Shuffles of the same curves are not independent and neither are runs of one recipe,
 * so groups are resampled (percentile bootstrap, one-sided; Efron 1979). A bootstrap cannot see what never happened:
 * where few or no hits were seen it would give 0. The bound is therefore at least the exact one (Clopper–Pearson) that
 * counts each curve once, with its share of hits, however often it was shuffled. 1 without any case.
 */
export function upperBound(counts: readonly CurveCount[], seed: number): number {
  const there = counts.filter((count) => count.cases > 0);
  if (there.length === 0) return 1;
  const shares = there.reduce((sum, { hits, cases }) => sum + hits / cases, 0);
  const exact = binomialInterval(shares, there.length, 0.95).high;
  return Math.max(exact, bootstrapUpper(there, seed));
}

/** Whether even no false abort at all would leave the bound above {@link UNDECIDED_ABOVE}. */
export function isUndecided(counts: readonly CurveCount[]): boolean {
  const there = counts.filter((count) => count.cases > 0).length;
  return there === 0 || binomialInterval(0, there, 0.95).high > UNDECIDED_ABOVE;
}

function bootstrapUpper(counts: readonly CurveCount[], seed: number): number {
  const groups = new Map<string, { cases: number; hits: number }>();
  for (const { group, cases, hits } of counts) {
    const before = groups.get(group) ?? { cases: 0, hits: 0 };
    groups.set(group, { cases: before.cases + cases, hits: before.hits + hits });
  }
  const all = [...groups.values()];
  if (all.every(({ hits }) => hits === 0)) return 0;
  const random = createRandom(seed);
  const rates = Array.from({ length: RESAMPLES }, () => {
    let [cases, hits] = [0, 0];
    for (let i = 0; i < all.length; i += 1) {
      const drawn = all[random.below(all.length)];
      cases += drawn?.cases ?? 0;
      hits += drawn?.hits ?? 0;
    }
    return hits / cases;
  }).sort((a, b) => a - b);
  return rates[Math.ceil(0.95 * RESAMPLES) - 1] ?? 1;
}
