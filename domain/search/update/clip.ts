import { z } from 'zod';
import type { Refuse } from './settings.ts';

/** Bounds of the probability ratio of a policy gradient. */
export const CLIP = {
  clipLow: z.number().min(0).max(1).default(0.2).describe('share by which a token may become less likely'),
  clipHigh: z.number().min(0).default(0.28).describe('share by which a token may become more likely'),
  dualClip: z
    .number()
    .gt(1)
    .nullable()
    .default(3)
    .describe('bound of the ratio of a token with a negative advantage, or null'),
};

/** Settings of group-relative advantages. */
export const GROUP = {
  scaleRewards: z
    .enum(['group', 'batch', 'none'])
    .default('group')
    .describe('advantages are in standard deviations of the group, of the batch, or in units of reward'),
  stdFloor: z.number().min(1e-12).default(1e-4).describe('added to the standard deviation'),
  ...CLIP,
};

type Clip = z.output<z.ZodObject<typeof CLIP>>;

export function checkClip({ clipHigh, dualClip }: Clip, refuse: Refuse, at: string[] = []): void {
  if (dualClip !== null && dualClip <= 1 + clipHigh)
    refuse([...at, 'dualClip'], `more than 1 + clipHigh, which is ${1 + clipHigh}, or null`);
}

/** The clip settings of a step's `algorithm`. */
export const clipOf = ({ clipLow, clipHigh, dualClip }: Clip) => ({ clipLow, clipHigh, dualClip });

/** The group-relative settings of a step's `algorithm`, the clip included. */
export const groupOf = ({ scaleRewards, stdFloor, ...clip }: z.output<z.ZodObject<typeof GROUP>>) => ({
  scaleRewards,
  stdFloor,
  ...clipOf(clip),
});
