import { type Chosen, methodOf, asSettings } from '../../method/axis.ts';
import type { Reward, RewardRule } from '../reward.ts';
import { improvement } from './improvement.ts';
import { none } from './none.ts';
import { rank } from './rank.ts';
import { weightedSum } from './weighted-sum.ts';

/** Every reward rule. A new one needs a file and a line here. */
export const REWARDS = { none, improvement, 'weighted-sum': weightedSum, rank } as const satisfies Record<
  string,
  RewardRule
>;

/** Looks up a stored reward rule. Throws UnknownMethod for a rule that this build does not have. */
export const rewardOf = (stored: unknown): Chosen<typeof REWARDS> => methodOf('search.reward', REWARDS, stored);

/** The reward rule of stored settings; null if they reward nothing, as in older versions. Throws as `rewardOf` does. */
export function rewardIn({ reward = 'none' }: { reward?: unknown }): Reward | null {
  const { method, settings } = rewardOf(reward);
  const { by }: RewardRule = method;
  return by(asSettings(settings));
}
