import { baseline, isMeasured } from '../../gate/gate.ts';
import type { GateState } from '../../gate/types.ts';
import { UnknownMethod } from '../../method/unknown-method.ts';
import type { ParentRule } from '../../search/parent.ts';
import { parentRuleOf } from '../../search/parent/table.ts';
import type { Gain } from '../../search/reward.ts';
import { rewardIn } from '../../search/reward/table.ts';

/** Formula from values to rewards, as far as one formula holds for all trials of a research. */
export interface RewardScale {
  /** Scale of the gain over the baseline; null if the reward is no such gain. */
  scale: Gain['scale'] | null;
  /** 1 if greater values are better, −1 if smaller ones are. */
  sign: 1 | -1;
  /** Mean of the baseline's runs; null before it is measured. */
  baseline: number | null;
  /** Reward of a failed run. */
  failed: number;
}

interface Rewarding {
  search: { reward?: unknown; parent?: unknown };
  gate: GateState;
}

/** The scale of a research's rewards; null if it rewards nothing, or by a rule that this build does not have. */
export function rewardScaleOf({ search, gate }: Rewarding): RewardScale | null {
  try {
    const rule = rewardIn(search);
    if (rule === null) return null;
    const { method }: { method: ParentRule } = parentRuleOf(search.parent);
    const overBaseline = rule.gain?.over === 'baseline' || (rule.gain !== null && method.isOriginal === true);
    return {
      scale: overBaseline ? (rule.gain?.scale ?? null) : null,
      sign: gate.sign,
      baseline: isMeasured(gate) ? baseline(gate).mean : null,
      failed: rule.endings.failed,
    };
  } catch (error) {
    if (error instanceof UnknownMethod) return null;
    throw error;
  }
}

/** Factor from a difference of values to a difference of rewards; null if it is unknown. */
export function factorOf({ scale, sign, baseline }: RewardScale): number | null {
  if (scale === 'absolute') return sign;
  return scale === 'relative' && baseline !== null && baseline !== 0 ? sign / Math.abs(baseline) : null;
}
