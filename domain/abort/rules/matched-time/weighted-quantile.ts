/** A finished run's largest score over its looks, and the runs like it that it stands for. */
export interface WeightedScore {
  score: number;
  weight: number;
}

/**
 * The smallest score that runs of the weight `below` stay at or under; Infinity where there is not so much. Runs that were
 * stopped are missing among those that finished; the audited ones stand for them by the inverse of their probability. The
 * idea is that of weighted conformal prediction (Tibshirani, Barber, Candès and Ramdas 2019), but not its bound: that would
 * give the new run the weight of an audited one, too, and with weights of 20 ask for a thousand runs.
 */
export function weightedQuantile(scores: readonly WeightedScore[], below: number): number {
  let sum = 0;
  for (const { score, weight } of [...scores].sort((a, b) => a.score - b.score)) {
    sum += weight;
    if (sum >= below - 1e-9) return score;
  }
  return Infinity;
}
