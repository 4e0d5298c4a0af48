import type { GateState } from './types.ts';

/** Baseline runs before the first early proposal, and between further ones. */
const FIRST = 4;
const PER_PROPOSAL = 2;
/**
 * Most early proposals, in number and as a share of the budget: they start from the unmodified version, without
 * knowledge of each other.
 */
const MOST = 3;
const SHARE = 0.1;

export interface EarlyProposalsInput {
  /** Baseline runs that are wanted and have not begun. */
  baselineRunsWaiting: number;
  /** Proposals that have begun. */
  proposalsBegun: number;
  /** Proposals of people that have not begun. */
  injectedWaiting: number;
  /** Proposals left in the budget; null: no limit. */
  proposalsLeft: number | null;
  /** Trials that may be under way at once. */
  window: number;
}

/**
 * Number of proposals that are due although baseline runs are wanted. A few proposals run beside a long baseline, so
 * that a person soon sees if everything works, and the baseline runs have the noise of runs beside a search. Zero if a
 * person's proposal waits, or if the window is 1: a proposal that waits for its model would then delay the baseline.
 */
export function earlyProposals({ calibrating, baselineId }: GateState, input: EarlyProposalsInput): number {
  const { baselineRunsWaiting, proposalsBegun, injectedWaiting, proposalsLeft, window } = input;
  if (calibrating?.candidateId !== baselineId || baselineRunsWaiting === 0) return 0;
  if (injectedWaiting > 0 || window < 2) return 0;
  const runs = calibrating.need - baselineRunsWaiting;
  if (runs < FIRST) return 0;
  const most = proposalsLeft === null ? MOST : Math.min(MOST, Math.floor(SHARE * (proposalsLeft + proposalsBegun)));
  return Math.max(0, Math.min(most, Math.floor((runs - FIRST) / PER_PROPOSAL) + 1) - proposalsBegun);
}
