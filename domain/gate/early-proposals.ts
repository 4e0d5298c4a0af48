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

export interface Beginnings {
  /** Baseline runs that are wanted and have not begun. */
  waiting: number;
  /** Proposals that have begun. */
  begun: number;
  /** Waiting proposals of people. */
  injected: number;
  /** Proposals left in the budget; null: no limit. */
  left: number | null;
  /** Trials that may be under way at once. */
  window: number;
}

/**
 * Number of proposals that are due although baseline runs are wanted. A few run beside a long baseline. So a person
 * soon sees if everything works, and the noise is that of runs beside a search. None if a person's proposal waits, or
 * if the window is 1: a proposal that waits for its model would then delay the baseline.
 */
export function earlyProposals({ calibrating, baselineId }: GateState, from: Beginnings): number {
  const { waiting, begun, injected, left, window } = from;
  if (calibrating?.candidateId !== baselineId || waiting === 0 || injected > 0 || window < 2) return 0;
  const runs = calibrating.need - waiting;
  if (runs < FIRST) return 0;
  const most = left === null ? MOST : Math.min(MOST, Math.floor(SHARE * (left + begun)));
  return Math.max(0, Math.min(most, Math.floor((runs - FIRST) / PER_PROPOSAL) + 1) - begun);
}
