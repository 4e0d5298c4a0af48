import { z } from 'zod';
import { defineReward, type Reward } from '../reward.ts';
import { endingSettings, noReward } from './ending-rewards.ts';

const settings = z.strictObject(endingSettings({ failed: 0, rejected: 0, aborted: 0 }));

/**
 * r = (w + e/2) / n for n proposals scored before, w of them worse and e equal: 1 if better than all, 0 if worse than
 * all, ½ for the first proposal. The reward is independent of the metric's scale and robust to outliers.
 *
 * Source: fitness shaping by ranks (Wierstra et al., Natural Evolution Strategies, JMLR 2014, §3.1), over a history
 * instead of a population; ties have mid-ranks.
 */
export const rank = defineReward({
  settings,
  by: (endings): Reward => ({
    endings,
    gain: null,
    reads: ['ranks'],
    of: ({ value, ranks }) => {
      if (ranks === null) return noReward('expected the ranks of earlier proposals, found none');
      const { scored, worse, equal } = ranks;
      const reward = scored === 0 ? 0.5 : (worse + equal / 2) / scored;
      return { reward, parts: { value, scored, worse, equal }, reason: 'rank among the proposals scored before' };
    },
  }),
});
