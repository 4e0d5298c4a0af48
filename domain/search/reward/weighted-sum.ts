import { z } from 'zod';
import { defineReward, type Reward, type RewardReading, type ScoredOutcome } from '../reward.ts';
import { endingSettings, noReward } from './ending-rewards.ts';
import { gainOverReference, scale } from './gain.ts';

const weight = z.number().min(0).default(0.01);
const settings = z.strictObject({
  ...endingSettings({ failed: -1, rejected: -1, aborted: -0.5 }),
  scale,
  efficiency: weight.describe('weight of the seconds saved'),
  novelty: weight.describe('weight of the distance from what was tried before'),
  threshold: z.number().min(0).max(1).default(0).describe('distance below which nothing is novel'),
});

/** How far above a failed run the worst scored one stays, as a share of the reward of failing; of 1 where that is smaller. */
const ABOVE_FAILED = 0.01;

/**
 * r = −Δ + λ·η + μ·ν. −Δ is the gain over the parent p, s·(v − p), with s = −1 for a metric that is minimised; relative:
 * s·(v − p)/|p|. η = 1 − t/t_p, at least −1, of the seconds t on the slot and the mean t_p of the parent's runs. ν is the least
 * distance from the changes that were tried before, 0 where it is below the threshold. The sum is at least f + max(1, |f|)/100, of the
 * reward f of a failed run, −.99 by default: a proposer that lost more by a bad score than by none would learn to fail. The
 * parts keep the gain as it was.
 *
 * Source: AutoResearch-RL (arXiv 2603.07300): r = −Δbpb + λ_eff·η, and a novelty term. Two signs are mended: printed Δ is old −
 * new, so that −Δ rewards what is worse, and printed novelty ξ/(1 + d) is greatest at no distance at all. It gives no
 * weights: these are small beside a gain of a per cent or more, and decide between equals.
 */
export const weightedSum = defineReward({
  settings,
  by: ({ scale, efficiency, novelty, threshold, ...endings }): Reward => ({
    endings,
    reads: ['parent', ...(novelty > 0 ? (['distance'] satisfies RewardReading[]) : [])],
    of: (scored) => {
      const { value, parent } = scored;
      if (parent === null) return noReward('its parent has no score under this metric');
      const gain = gainOverReference(parent.value, scored, scale);
      if (typeof gain !== 'number') return gain;
      const saved = efficiency > 0 ? savedOf(scored) : 0;
      if (saved === null) return noReward('the seconds of the run, or of its parent, are not known');
      const distance = scored.distance ?? 0;
      const novel = distance >= threshold ? distance : 0;
      const sum = gain + efficiency * saved + novelty * novel;
      const least = endings.failed + ABOVE_FAILED * Math.max(1, Math.abs(endings.failed));
      const parts = { value, parent: parent.value, gain, efficiency: efficiency * saved, novelty: novelty * novel };
      const reason = `${scale} gain over the parent, seconds saved, novelty`;
      return sum >= least
        ? { reward: sum, parts, reason }
        : { reward: least, parts: { ...parts, least }, reason: `${reason}; more than a failed run` };
    },
  }),
});

/** The share of the parent's seconds that was saved, negative where it took longer; null where one of them is not known. */
function savedOf({ seconds, parent }: ScoredOutcome): number | null {
  const before = parent?.seconds ?? 0;
  return seconds === null || before <= 0 ? null : Math.max(-1, 1 - seconds / before);
}
