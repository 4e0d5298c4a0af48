/** A finished run's largest score over its looks, and the number of runs like it that it represents. */
export interface WeightedScore {
  score: number;
  weight: number;
}

/**
 * The smallest score that runs of total weight `below` do not exceed; Infinity if the total is smaller. Stopped runs
 * are missing among finished runs; audited ones represent them, weighted by the inverse of their probability. The idea
 * is that of weighted conformal prediction (Tibshirani, Barber, Candès and Ramdas 2019), without its bound: the bound
 * would give the new run an audited run's weight, too, and with weights of 20 require a thousand runs.
 */
export function weightedQuantile(scores: readonly WeightedScore[], below: number): number {
  let sum = 0;
  for (const { score, weight } of [...scores].sort((a, b) => a.score - b.score)) {
    sum += weight;
    if (sum >= below - 1e-9) return score;
  }
  return Infinity;
}
