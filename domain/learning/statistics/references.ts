import type { RewardScale } from './reward-scale.ts';

/** A mean reward for comparison, as a task states it. */
export interface Reference {
  name: string;
  value: number;
  /** Value of the baseline from which the mean reward was computed. */
  baseline?: number | undefined;
}

/** A reference on the scale of a research's rewards. Plain JSON. */
export interface PlacedReference {
  name: string;
  value: number;
  /** Shift from the task's value; 0 if it stays. */
  shift: number;
  /** Reason why it stays where the task puts it; null if it follows the baseline of the research. */
  stays: string | null;
}

/**
 * Shifts each reference to the baseline of a research. A reward is s·(v − b), so a baseline that was measured too high
 * by e lowers all rewards of the research by s·e. It lowers the shifted references by the same amount. The rewards of
 * failed runs do not depend on the baseline, so a reference with failed runs is shifted too far, by their share.
 */
export const placeReferences = (references: readonly Reference[], rewards: RewardScale | null): PlacedReference[] =>
  references.map(({ name, value, baseline }) => {
    const kept = (stays: string): PlacedReference => ({ name, value, shift: 0, stays });
    if (baseline === undefined) return kept('it names no baseline');
    if (rewards === null || rewards.scale === null) return kept('the reward is not a gain over the baseline');
    if (rewards.scale === 'relative') return kept('the scale of the reward is relative');
    if (rewards.baseline === null) return kept('the baseline is not measured yet');
    const shift = rewards.sign * (baseline - rewards.baseline);
    return { name, value: value + shift, shift, stays: null };
  });
