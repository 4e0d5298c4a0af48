import { type Reward, type RewardRule, type Scored } from '../../../../domain/search/reward.ts';
import { rewardOf } from '../../../../domain/search/reward/table.ts';

/** A scored outcome of a metric that is minimised. */
export const scored = (more: Partial<Scored> = {}): Scored => ({
  ...{ sign: -1, value: 1.5, seconds: 8, baseline: 2, parent: { value: 1.8, seconds: 10 } },
  ...{ ranks: { scored: 4, worse: 2, equal: 1 }, distance: 0.4 },
  ...more,
});

/** A reward by a choice as a task writes it. */
export function rewardBy(choice: unknown): Reward {
  const { method, settings } = rewardOf(choice);
  const { by }: RewardRule = method;
  const rule = by(settings);
  if (!rule) throw new Error('expected a reward');
  return rule;
}
