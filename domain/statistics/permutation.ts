/** Largest score; the smallest is 0. A finer scale would change no decision. */
const LEVELS = 120;
/**
 * Distance from the median, in interquartile ranges, to which outliers are clipped, so that one outlier decides
 * nothing.
 */
const REACH = 2.5;

const quantile = (sorted: readonly number[], share: number): number => {
  const position = share * (sorted.length - 1);
  const low = sorted[Math.floor(position)] ?? 0;
  const high = sorted[Math.ceil(position)] ?? low;
  return low + (high - low) * (position - Math.floor(position));
};

/** Whole-number scores of the pooled values: linear, with outliers clipped. They depend only on the pooled sample. */
function scores(pooled: readonly number[]): number[] {
  const sorted = [...pooled].sort((a, b) => a - b);
  const first = sorted[0] ?? 0;
  const last = sorted[sorted.length - 1] ?? 0;
  const middle = quantile(sorted, 0.5);
  const reach = REACH * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) || last - first;
  const low = Math.max(first, middle - reach);
  const high = Math.min(last, middle + reach);
  const width = high - low;
  if (!(width > 0)) return pooled.map((x) => (x > low ? 1 : 0));
  return pooled.map((x) => Math.round(Math.min(Math.max((x - low) / width, 0), 1) * LEVELS));
}

/**
 * Exact one-sided p value for `a` being higher than `b`: the share of all splits of the pooled scores in which the
 * first group's sum is at least the observed one (shift algorithm). Valid for any distribution of the noise if the
 * values are exchangeable under the null hypothesis. Returns 1 if a group is empty. Use it for at most about 60 values.
 */
export function permutationP(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return 1;
  const all = scores([...a, ...b]);
  const observed = all.slice(0, a.length).reduce((sum, x) => sum + x, 0);
  // counts[k][s]: number of ways to choose k of the scores so far with sum s
  const counts = Array.from({ length: a.length + 1 }, () => new Float64Array(a.length * LEVELS + 1));
  const origin = counts[0];
  if (origin) origin[0] = 1;
  all.forEach((score, index) => {
    for (let k = Math.min(index + 1, a.length); k >= 1; k -= 1) {
      const from = counts[k - 1];
      const to = counts[k];
      if (!from || !to) continue;
      for (let s = (k - 1) * LEVELS; s >= 0; s -= 1) {
        const ways = from[s] ?? 0;
        if (ways > 0) to[s + score] = (to[s + score] ?? 0) + ways;
      }
    }
  });
  const final = counts[a.length] ?? new Float64Array();
  let total = 0;
  let atLeast = 0;
  final.forEach((ways, sum) => {
    total += ways;
    if (sum >= observed) atLeast += ways;
  });
  return total > 0 ? atLeast / total : 1;
}
