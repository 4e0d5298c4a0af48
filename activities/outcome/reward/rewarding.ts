import type { GateState } from '../../../domain/gate/types.ts';
import type { Reward } from '../../../domain/search/reward.ts';
import type { Outcome } from '../observer.ts';

/** What rewards are given by. */
export interface Rewarding extends Pick<Outcome, 'tx' | 'research'> {
  /** With the outcome at hand. */
  gate: GateState;
  rule: Reward;
}
