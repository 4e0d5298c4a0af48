import type { GateState } from '../types.ts';

/** Probability of error of the bound on the share of runs that differ. */
const ERROR = 0.05;

/**
 * Number of runs that agreed. Of a candidate only the re-runs count, since its first run was selected; of the first
 * runs only one of the baseline counts.
 */
const agreeingRuns = (state: GateState): number => state.noise.df + 1;

/**
 * States how many runs agreed, and the upper bound of the share of runs that differ: if more differed, n runs would
 * all agree with a probability below 5 % (1 − .05^(1/n), the exact binomial bound for none of n).
 */
export function describeAgreement(state: GateState): string {
  const n = agreeingRuns(state);
  const share = 1 - ERROR ** (1 / n);
  return `${n} runs agree: with 95 % confidence fewer than ${Math.ceil(100 * share)} % of runs differ`;
}
