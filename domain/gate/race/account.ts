import type { GateConfig, GateState } from '../types.ts';

/** Share of the error probability of the first 200 trials that is there from the start. */
const UPFRONT = 0.3;
/** Share of the balance that one race may spend. */
const PER_RACE = 0.5;
/** Most error probability that one race may spend, as a share of the whole. */
const MOST = 0.4;

/** Error probability at the start. Balance plus income over 200 search trials is `falseKeepsPer200`. */
export function openingBalance(config: GateConfig): number {
  return UPFRONT * config.falseKeepsPer200;
}

/** Each search trial pays in its share of the error that is allowed; what droughts leave unspent is kept, up to the whole. */
export function payIn(config: GateConfig, state: GateState): void {
  const income = ((1 - UPFRONT) * config.falseKeepsPer200) / 200;
  state.account = Math.min(config.falseKeepsPer200, state.account + income);
}

/** Takes out the level of one race. */
export function withdraw(config: GateConfig, state: GateState): number {
  const level = Math.min(PER_RACE * state.account, MOST * config.falseKeepsPer200);
  state.account -= level;
  return level;
}
