import { type Chosen, methodOf } from '../axis.ts';
import type { RewardRule } from '../reward.ts';
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

/** The reward in stored settings; those of an older version say nothing of it. */
export const rewardIn = ({ reward = 'none' }: { reward?: unknown }): Chosen<typeof REWARDS> => rewardOf(reward);
