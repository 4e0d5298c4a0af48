import type { Reward, ScoredOutcome } from '../../../../domain/search/reward.ts';
import { rewardIn } from '../../../../domain/search/reward/table.ts';

/** A scored outcome of a metric that is minimised. */
export const scored = (more: Partial<ScoredOutcome> = {}): ScoredOutcome => ({
  sign: -1,
  value: 1.5,
  seconds: 8,
  baseline: 2,
  parent: { value: 1.8, seconds: 10 },
  ranks: { scored: 4, worse: 2, equal: 1 },
  distance: 0.4,
  ...more,
});

/** The reward rule that a task.yaml selects with `reward`. */
export function rewardBy(reward: unknown): Reward {
  const rule = rewardIn({ reward });
  if (!rule) throw new Error('expected a reward');
  return rule;
}
