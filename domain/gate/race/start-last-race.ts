import { drawConclusions } from '../draw-conclusions.ts';
import type { Advance, Draft, GateConfig, GateState } from '../types.ts';
import { pruneSubjects, requestRuns } from '../request-runs.ts';
import { RACE_STAGES } from './race.ts';

/** Runs that a race takes at most, of both sides. */
const WHOLE = 2 * Math.max(...RACE_STAGES.map(({ runs }) => runs));

/**
 * Opens the race of a lead that waits for the budget of races alone; null where none does. Call it where the search is at
 * its end: nothing runs, and no proposal may follow. Then nothing is left to save runs for, and without a race the best that
 * was found would never be claimed. The budget of races is filled up to one race, once until the search goes on. The race's
 * error probability comes from the account, as that of any other. The state passed in is not changed.
 */
export function startLastRace(config: GateConfig, before: GateState): Advance | null {
  const { races, probes, searched, lastRaceAt } = before;
  if (!config.followsLead || races.length + probes.length > 0 || lastRaceAt === searched) return null;
  const state = JSON.parse(JSON.stringify(before)) as GateState;
  const draft: Draft = { config, state, rulings: [], claimed: null };
  state.effort = Math.max(state.effort, WHOLE);
  state.lastRaceAt = searched;
  drawConclusions(draft);
  if (state.races.length === 0) return null;
  const wants = requestRuns(draft);
  pruneSubjects(state);
  return { state, rulings: draft.rulings, wants, claimed: draft.claimed };
}
