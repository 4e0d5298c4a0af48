import { z } from 'zod';
import { defineReward, type Reward, type ScoredOutcome } from '../reward.ts';
import { endingSettings, noReward } from './ending-rewards.ts';
import { gainOverReference, scale } from './gain.ts';

const weight = z.number().min(0).default(0.01);
const settings = z.strictObject({
  ...endingSettings({ failed: -1, rejected: -1, aborted: -0.5 }),
  scale,
  efficiency: weight.describe('weight of the seconds saved'),
  novelty: weight.describe('weight of the distance from what was tried before'),
  threshold: z.number().min(0).max(1).default(0).describe('distance below which a candidate is not novel'),
});

/** Least distance of a scored run's reward above the reward f of a failed run, as a share of max(1, |f|). */
const ABOVE_FAILED = 0.01;

/**
 * r = −Δ + λ·η + μ·ν, where:
 *
 * −Δ is the gain of the value v over the parent p: s·(v − p), with s = −1 for a minimised metric; for `scale:
 * relative`, s·(v − p)/|p|.
 *
 * η = 1 − t/t_p, at least −1, for t seconds on the slot and the mean t_p of the parent's runs.
 *
 * ν is the smallest distance from the changes tried before, or 0 below the threshold.
 *
 * The sum is at least f + max(1, |f|)/100, where f is the reward of a failed run; −.99 by default. A proposer that lost
 * more by a bad score than by a failure would learn to fail. `parts` keeps the gain without this bound.
 *
 * Source: AutoResearch-RL (arXiv 2603.07300): r = −Δbpb + λ_eff·η, and a novelty term. Two signs are corrected: the
 * printed Δ is old − new, so that −Δ would reward a worse value, and the printed novelty ξ/(1 + d) is greatest at
 * distance 0. The source gives no weights. The defaults are small against a gain of one per cent or more, and decide
 * between equals.
 */
export const weightedSum = defineReward({
  settings,
  by: ({ scale, efficiency, novelty, threshold, ...endings }): Reward => ({
    endings,
    gain: { over: 'parent', scale },
    reads: novelty > 0 ? ['parent', 'distance'] : ['parent'],
    of: (scored) => {
      const { value, parent } = scored;
      if (parent === null) return noReward('its parent has no score under this metric');
      const gain = gainOverReference(parent.value, scored, scale);
      if (typeof gain !== 'number') return gain;
      const saved = efficiency > 0 ? savedOf(scored) : 0;
      if (saved === null) return noReward('the seconds of the run or of its parent are unknown');
      const distance = scored.distance ?? 0;
      const novel = distance >= threshold ? distance : 0;
      const sum = gain + efficiency * saved + novelty * novel;
      const least = endings.failed + ABOVE_FAILED * Math.max(1, Math.abs(endings.failed));
      const parts = {
        value,
        parent: parent.value,
        gain,
        efficiency: efficiency * saved,
        novelty: novelty * novel,
      };
      const reason = `${scale} gain over the parent, seconds saved, novelty`;
      return sum >= least
        ? { reward: sum, parts, reason }
        : { reward: least, parts: { ...parts, least }, reason: `${reason}; more than a failed run` };
    },
  }),
});

/** Saved share of the parent's seconds, negative if the run took longer; null if either time is unknown. */
function savedOf({ seconds, parent }: ScoredOutcome): number | null {
  const before = parent?.seconds ?? 0;
  return seconds === null || before <= 0 ? null : Math.max(-1, 1 - seconds / before);
}
