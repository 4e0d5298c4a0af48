import { upperQuantile } from '../../statistics/student-t.ts';

/** Sums over the rewarded samples of one or more batches. */
export interface RewardSums {
  /** Number of samples with a reward, at least 1. */
  n: number;
  mean: number;
  /** Sample variance of the rewards; null for one sample. */
  variance: number | null;
  /**
   * Σ nᵢ(nᵢ − 1)·vᵢ over the candidates: nᵢ samples share the reward of candidate i, and vᵢ is the variance of that
   * reward over seeds. Null if a vᵢ that counts is unknown.
   */
  shared: number | null;
}

/** A mean reward, as an estimate of what one draw of the policy is worth. */
export interface MeanReward {
  n: number;
  mean: number;
  /** Null if it is unknown. */
  standardError: number | null;
}

/**
 * The mean of a batch with its standard error. Samples are independent draws with a reward rᵢ + eᵢ; all samples of one
 * candidate share the error eᵢ of its runs. Var(mean) = τ²/n + Σ (nᵢ/n)²·vᵢ, where τ² is the variance of the true
 * rewards. The sample variance s² contains each eᵢ only as far as candidates differ, so that
 *
 * s²/n + Σ nᵢ(nᵢ − 1)·vᵢ / (n(n − 1))
 *
 * is an unbiased estimate: s²/n if all candidates differ, and v if all samples are one candidate.
 */
export function meanRewardOf({ n, mean, variance, shared }: RewardSums): MeanReward {
  if (variance === null || shared === null) return { n, mean, standardError: null };
  return { n, mean, standardError: Math.sqrt(variance / n + shared / (n * (n - 1))) };
}

/** Half of the 95 % interval of a mean (Student's t with n − 1 degrees of freedom); null if it is unknown. */
export const errorOf = ({ n, standardError }: MeanReward): number | null =>
  standardError === null ? null : standardError * upperQuantile(0.025, n - 1);

/** A difference with half of its 95 % interval, which is null if it is unknown. */
export interface Difference {
  value: number;
  error: number | null;
}

/**
 * Mean of B minus mean of A. The interval uses the degrees of freedom of the smaller sample, which are too few rather
 * than too many. The error of the baseline is not in it: it shifts both means alike.
 */
export function differenceOf(a: MeanReward, b: MeanReward): Difference {
  const value = b.mean - a.mean;
  if (a.standardError === null || b.standardError === null) return { value, error: null };
  const standardError = Math.hypot(a.standardError, b.standardError);
  return { value, error: standardError * upperQuantile(0.025, Math.min(a.n, b.n) - 1) };
}
