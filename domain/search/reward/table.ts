import { type Chosen, methodOf, asSettings } from '../../method/axis.ts';
import type { Reward, RewardRule } from '../reward.ts';
import { improvement } from './improvement.ts';
import { none } from './none.ts';
import { rank } from './rank.ts';
import { weightedSum } from './weighted-sum.ts';

/** Every reward. A new one is its file and a line here. */
export const REWARDS = { none, improvement, 'weighted-sum': weightedSum, rank } as const satisfies Record<
  string,
  RewardRule
>;

/** A stored reward; throws UnknownMethod for one that this build does not have. */
export const rewardOf = (stored: unknown): Chosen<typeof REWARDS> => methodOf('search.reward', REWARDS, stored);

/** The reward in stored settings, null where they reward nothing, as those of an older version. Throws as `rewardOf` does. */
export function rewardIn({ reward = 'none' }: { reward?: unknown }): Reward | null {
  const { method, settings } = rewardOf(reward);
  const { by }: RewardRule = method;
  return by(asSettings(settings));
}
