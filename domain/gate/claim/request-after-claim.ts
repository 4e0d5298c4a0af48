import { RUNS_AFTER_CLAIM } from '../estimate/runs-after-claim.ts';
import { findSubject, isDeterministic, MOST_FAILURES } from '../subject.ts';
import type { GateConfig, GateState } from '../types.ts';
import { isClaimByPerson } from './claim.ts';
import { EXACT_RUNS } from './exact-claim.ts';

/** Search trials for each run after a claim without visible noise, so that a lucky claim is found during the search. */
const SEARCHES_PER_EXACT_RUN = 4;

/**
 * Number of runs of the incumbent to request now, so that its claim gets four runs that no race selected. They are
 * requested one at a time, since the search needs the slots; at the end of a search, all at once.
 */
export function runsAfterClaim({ policy }: GateConfig, state: GateState): number {
  const { incumbentId, baselineId, calibrating, races } = state;
  if (policy === 'strict' || calibrating !== null || races.length > 0) return 0;
  if (incumbentId === baselineId || isClaimByPerson(state)) return 0;
  const incumbent = findSubject(state, incumbentId);
  if (!incumbent || incumbent.failures > MOST_FAILURES) return 0;
  const after = incumbent.after?.n ?? 0;
  const missing = RUNS_AFTER_CLAIM - after;
  if (state.lastRaceAt === state.searched) return missing;
  if (!isDeterministic(state)) return Math.min(1, missing);
  // A claim of the strict rule, or of 0.2, was made on one run: first it gets the runs that agree before a claim.
  const unproven = EXACT_RUNS.candidate + 1 - incumbent.fresh.n;
  const due = Math.floor(state.sinceMove / SEARCHES_PER_EXACT_RUN) - after;
  return Math.max(unproven, Math.min(1, due, missing));
}
