import { incompleteBeta } from './incomplete-beta.ts';

/**
 * Exact (Clopper–Pearson) one-sided bounds of the share `hits` / `n`, each at `confidence`. `hits` and `n` may be
 * fractions. A two-sided interval of 95 % has both bounds at .975. Source: Clopper and Pearson, Biometrika 26 (1934).
 */
export function binomialInterval(hits: number, n: number, confidence: number): { low: number; high: number } {
  const alpha = 1 - confidence;
  // P(X ≥ hits | p) = I_p(hits, n − hits + 1)
  const low = hits <= 0 ? 0 : solve((p) => incompleteBeta(p, hits, n - hits + 1) - alpha);
  const high = hits >= n ? 1 : solve((p) => incompleteBeta(p, hits + 1, n - hits) - (1 - alpha));
  return { low, high };
}

/** The largest share of runs that may differ if `n` of them agree, with 95 % confidence: 1 − .05^(1/n). */
export const largestShareThatDiffers = (n: number): number => 1 - 0.05 ** (1 / n);

/** The zero of an increasing function in [0, 1]. */
function solve(rising: (p: number) => number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
