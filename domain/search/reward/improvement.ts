import { z } from 'zod';
import { defineReward, type Reward } from '../reward.ts';
import { endingSettings, noReward } from './ending-rewards.ts';
import { gainOverReference, scale } from './gain.ts';

const settings = z.strictObject({ ...endingSettings({ failed: 0, rejected: 0, aborted: 0 }), scale });

/**
 * r = max(0, g), where g is the gain of the value v over the baseline b: s·(v − b), with s = −1 for a minimised metric;
 * for `scale: relative`, s·(v − b)/|b|. By default an outcome without a value has reward 0.
 *
 * Source: autoresearch-distillation (SilenNaihin, df28f4b), in units of the metric. The default here is relative, so
 * that one learning rate fits metrics of any magnitude.
 */
export const improvement = defineReward({
  settings,
  by: ({ scale, ...endings }): Reward => ({
    endings,
    gain: { over: 'baseline', scale },
    reads: ['baseline'],
    of: (scored) => {
      const { value, baseline } = scored;
      if (baseline === null) return noReward('no run of the baseline has a score');
      const gain = gainOverReference(baseline, scored, scale);
      if (typeof gain !== 'number') return gain;
      const reason = `${scale} gain over the baseline`;
      return { reward: Math.max(0, gain), parts: { value, baseline, gain }, reason };
    },
  }),
});
