import type { GateConfig, GateState } from '../types.ts';

/** Share of the error probability of the first 200 trials that is available at the start. */
const UPFRONT = 0.3;
/** Share of the balance that one race may spend. */
const PER_RACE = 0.5;
/** Most error probability that one race may spend, as a share of `falseKeepsPer200`. */
const MOST = 0.4;

/** Error probability at the start. Balance plus income over 200 search trials is `falseKeepsPer200`. */
export function openingBalance(config: GateConfig): number {
  return UPFRONT * config.falseKeepsPer200;
}

/** Pays in the error probability of one search trial. Unspent income is kept, up to `falseKeepsPer200`. */
export function payIn(config: GateConfig, state: GateState): void {
  const income = ((1 - UPFRONT) * config.falseKeepsPer200) / 200;
  state.account = Math.min(config.falseKeepsPer200, state.account + income);
}

/** Withdraws the error probability of one race, and returns it. */
export function withdraw(config: GateConfig, state: GateState): number {
  const level = Math.min(PER_RACE * state.account, MOST * config.falseKeepsPer200);
  state.account -= level;
  return level;
}
