import { drawConclusions } from '../draw-conclusions.ts';
import { takeBackExactClaim } from '../claim/take-back.ts';
import { isDeterministic } from '../subject.ts';
import type { Advance, Draft, GateConfig, GateState } from '../types.ts';
import { pruneSubjects, requestRuns } from '../request-runs.ts';
import { RACE_STAGES } from './race.ts';

/** Most runs of a race, of both sides together. */
const WHOLE = 2 * Math.max(...RACE_STAGES.map(({ runs }) => runs));

/**
 * Opens the race of a lead that waits only for the budget of races; null if there is none. Without visible noise there
 * is no race: the missing runs after the incumbent's claim are requested instead. A claim on runs that agreed is taken
 * back if its runs differ by now. Call it at the end of a
 * search, when nothing runs and no proposal may follow. Then there is nothing to save runs for, and without a race the
 * best found candidate would never be claimed. The budget of races is filled up for one race, once until the search
 * goes on. The race's error probability comes from the account, like that of any other race. The state passed in is not
 * changed.
 */
export function startLastRace(config: GateConfig, before: GateState): Advance | null {
  const { races, probes, searched, lastRaceAt } = before;
  if (config.measuresOnly === true) return null;
  if (races.length + probes.length > 0 || lastRaceAt === searched) return null;
  const isExact = isDeterministic(before);
  const state = JSON.parse(JSON.stringify(before)) as GateState;
  const draft: Draft = { config, state, rulings: [], claimed: null };
  // A measurement of the claim may have ended with the last run.
  takeBackExactClaim(draft, false);
  if (!config.followsLead && !isExact && !draft.claimed) return null;
  if (!isExact) state.effort = Math.max(state.effort, WHOLE);
  state.lastRaceAt = searched;
  drawConclusions(draft);
  if (state.races.length === 0 && !isExact && !draft.claimed) return null;
  const wanted = requestRuns(draft);
  if (state.races.length === 0 && wanted.length === 0 && !draft.claimed) return null;
  pruneSubjects(state);
  return { state, rulings: draft.rulings, wanted, claimed: draft.claimed };
}
