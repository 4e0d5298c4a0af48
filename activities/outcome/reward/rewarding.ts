import type { GateState } from '../../../domain/gate/types.ts';
import type { Reward } from '../../../domain/search/reward.ts';
import type { Outcome } from '../observer.ts';

/** A research whose outcome was just ruled on, and the reward that it is given by. */
export interface Rewarding extends Pick<Outcome, 'tx' | 'research'> {
  /** With the outcome at hand. */
  gate: GateState;
  rule: Reward;
}
