import type { Rewarded } from '../reward.ts';

/** Rewards of a candidate's runs. */
export interface RunRewards {
  /** Reward of the mean of its values; null without a value. */
  scored: Rewarded | null;
  /** Number of its values. */
  values: number;
  /** Rewards of its failed runs, one each. Runs that failed for another cause are left out. */
  failures: readonly Rewarded[];
}

/**
 * The reward of a candidate with several runs: the reward of its mean value and those of its failed runs, weighted by
 * their numbers, which are among the parts. None if its values have no reward.
 */
export function rewardOfRuns({ scored, values, failures }: RunRewards): Rewarded | null {
  const [first] = failures;
  if (values + failures.length < 2 || scored?.reward === null) return scored ?? first ?? null;
  const ofFailures = failures.reduce((sum, { reward }) => sum + (reward ?? 0), 0);
  const reward = ((scored?.reward ?? 0) * values + ofFailures) / (values + failures.length);
  const parts: Record<string, number> = { ...scored?.parts, runs: values, failedRuns: failures.length };
  if (failures.length > 0 && scored) parts['scored'] = scored.reward;
  if (failures.length > 0) parts['failed'] = ofFailures / failures.length;
  const reasons = [scored && `${scored.reason}, mean value of its runs`, first?.reason].filter(Boolean);
  return { reward, parts, reason: reasons.join('; ') };
}
