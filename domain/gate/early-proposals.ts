import type { GateState } from './types.ts';

/** Baseline runs that come first, and baseline runs a proposal after that. */
const FIRST = 4;
const PER_PROPOSAL = 2;
/** They know nothing of each other and start from the unmodified version: few, and a small share of what may be spent. */
const MOST = 3;
const SHARE = 0.1;

export interface Beginnings {
  /** Baseline runs that are wanted and have not begun. */
  waiting: number;
  /** Proposals that have begun. */
  begun: number;
  /** Proposals of people that wait. */
  injected: number;
  /** Proposals that the budget has left; null for no limit. */
  left: number | null;
  /** Trials that may be under way at once. */
  window: number;
}

/**
 * Proposals that are due although baseline runs are wanted. A few go beside a long baseline, so that a person sees soon
 * whether the whole way works, and the noise is that of runs beside a search. None where a person's own waits, nor where
 * one that waits for its model would hold up the baseline.
 */
export function earlyProposals({ calibrating, baselineId }: GateState, from: Beginnings): number {
  const { waiting, begun, injected, left, window } = from;
  if (calibrating?.candidateId !== baselineId || waiting === 0 || injected > 0 || window < 2) return 0;
  const runs = calibrating.need - waiting;
  if (runs < FIRST) return 0;
  const most = left === null ? MOST : Math.min(MOST, Math.floor(SHARE * (left + begun)));
  return Math.max(0, Math.min(most, Math.floor((runs - FIRST) / PER_PROPOSAL) + 1) - begun);
}
