import { largestShareThatDiffers } from '../../statistics/binomial-interval.ts';
import { plural } from '../../text/plural.ts';
import type { GateState, Subject } from '../types.ts';

/**
 * Number of runs that agreed: all runs of the baseline, and the re-runs of candidates. The first run of a candidate
 * does not count, since it was selected.
 */
const agreeingRuns = (state: GateState): number => state.noise.df + 1;

/** States how many runs agreed, and the upper bound of the share of runs that differ. */
export function describeAgreement(state: GateState): string {
  const n = agreeingRuns(state);
  return `${n} runs agree: with 95 % confidence fewer than ${mostDiffering(n)} % of runs differ`;
}

/**
 * States how many runs of a claimed candidate agree, and the bound on the share of its runs that differ. Runs of other
 * candidates prove nothing about it, since a candidate may add noise of its own.
 */
export function describeOwnAgreement({ fresh: { n } }: Subject): string {
  if (n < 2) return 'claimed on one run';
  return `${plural(n, 'run')} of it agree: with 95 % confidence fewer than ${mostDiffering(n)} % of its runs differ`;
}

/** Upper bound of the share of runs that differ, in percent, if n runs agree. */
const mostDiffering = (n: number): number => Math.ceil(100 * largestShareThatDiffers(n));
