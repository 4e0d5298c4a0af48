import type { z } from 'zod';
import { type Arm, armKey } from './arm.ts';

/** Ways to choose an arm. */
export const WAYS = ['weights', 'schedule', 'thompson'] as const;
export type Way = (typeof WAYS)[number];

interface Given {
  arms: readonly (Arm & { weight?: number; trials?: number })[];
  by?: Way;
  cost?: string;
}

/** The way if the settings name none: arms with a number of trials take turns. */
export const usualWay = (arms: Given['arms']): Way =>
  arms.some(({ trials }) => trials !== undefined) ? 'schedule' : 'weights';

/** Rejects settings of arms that contradict each other. */
export function checkArms({ arms, by = usualWay(arms), cost }: Given, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string): void => {
    context.addIssue({ code: 'custom', path, message });
  };
  const seen = new Map<string, number>();
  for (const [index, arm] of arms.entries()) {
    const first = seen.get(armKey(arm));
    if (first !== undefined) refuse(['arms', index], `an arm that differs from arms[${first}]`);
    else seen.set(armKey(arm), index);
    if (arm.weight !== undefined && by !== 'weights')
      refuse(['arms', index, 'weight'], `no weight, since by: ${by} does not read it`);
    if (arm.trials !== undefined && by !== 'schedule')
      refuse(['arms', index, 'trials'], `no number of trials, since by: ${by} does not read it`);
    if (arm.trials === undefined && by === 'schedule' && index < arms.length - 1)
      refuse(['arms', index, 'trials'], 'a number of trials, which only the last arm of a schedule may lack');
  }
  if (cost !== undefined && by !== 'thompson') refuse(['cost'], `no cost, since by: ${by} does not read it`);
}
