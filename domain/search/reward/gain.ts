import { z } from 'zod';
import type { Rewarded, ScoredOutcome } from '../reward.ts';
import { noReward } from './ending-rewards.ts';

/** Scale of a gain: units of the metric, or a share of the reference. */
export const scale = z
  .enum(['relative', 'absolute'])
  .default('relative')
  .describe('unit of a gain: a share of the reference value, or the unit of the metric');

type Scale = z.output<typeof scale>;

/** The gain of an outcome over `reference`, positive if better; or a null reward with the reason why there is none. */
export function gainOverReference(reference: number, scored: ScoredOutcome, gainScale: Scale): number | Rewarded {
  const { sign, value } = scored;
  const difference = sign * (value - reference);
  if (gainScale === 'relative' && reference === 0)
    return noReward('expected a reference other than 0 for a relative gain; set scale: absolute');
  const gain = gainScale === 'relative' ? difference / Math.abs(reference) : difference;
  return Number.isFinite(gain) ? gain : noReward(`expected a finite gain, got ${gain}`);
}
