import { MOST_FAILURES } from '../search.ts';
import { RUNS_AFTER_CLAIM } from '../estimate/runs-after-claim.ts';
import { findSubject, isDeterministic } from '../subject.ts';
import type { GateConfig, GateState } from '../types.ts';
import { isClaimByPerson } from './claim.ts';

/**
 * Number of runs of the incumbent to request now, so that its claim gets four runs that no race selected. They are
 * requested one at a time, since the search needs the slots; at the end of a search, all at once.
 */
export function runsAfterClaim({ policy }: GateConfig, state: GateState): number {
  const { incumbentId, baselineId, calibrating, races } = state;
  if (policy === 'strict' || isDeterministic(state) || calibrating !== null || races.length > 0) return 0;
  if (incumbentId === baselineId || isClaimByPerson(state)) return 0;
  const incumbent = findSubject(state, incumbentId);
  if (!incumbent || incumbent.failures > MOST_FAILURES) return 0;
  const missing = RUNS_AFTER_CLAIM - (incumbent.after?.n ?? 0);
  return state.lastRaceAt === state.searched ? missing : Math.min(1, missing);
}
