import type { GateState } from './types.ts';

/** Baseline runs that come first, and baseline runs a proposal after that, until the baseline is complete. */
const FIRST = 4;
const PER_PROPOSAL = 2;

/**
 * Proposals that may run beside the baseline's runs, when so many of those have not begun. A few do, so that a person
 * sees soon whether the whole way works, and the noise is that of runs beside a search.
 */
export function earlyProposals({ calibrating, baselineId }: GateState, notBegun: number): number {
  if (calibrating?.candidateId !== baselineId) return 0;
  const begun = calibrating.need - notBegun;
  return begun < FIRST ? 0 : Math.floor((begun - FIRST) / PER_PROPOSAL) + 1;
}
