import { z } from 'zod';
import { defineReward, type Reward } from '../reward.ts';
import { endingSettings, noReward } from './ending-rewards.ts';
import { gainOverReference, scale } from './gain.ts';

const settings = z.strictObject({ ...endingSettings({ failed: 0, rejected: 0, aborted: 0 }), scale });

/**
 * r = max(0, g), where g is the gain over the baseline b: s·(v − b), with s = −1 for a metric that is minimised; relative:
 * s·(v − b)/|b|. What ended without a value has 0.
 *
 * Source: autoresearch-distillation (SilenNaihin, df28f4b), in units of the metric. Relative by default here, so that one
 * learning rate serves metrics of any size.
 */
export const improvement = defineReward({
  settings,
  by: ({ scale, ...endings }): Reward => ({
    endings,
    reads: ['baseline'],
    of: (scored) => {
      const { value, baseline } = scored;
      if (baseline === null) return noReward('no run of the baseline has a score');
      const gain = gainOverReference(baseline, scored, scale);
      if (typeof gain !== 'number') return gain;
      return { reward: Math.max(0, gain), parts: { value, baseline, gain }, reason: `${scale} gain over the baseline` };
    },
  }),
});
