import { MOST_FAILURES } from './search.ts';
import { NOBODY } from './claim/calibrate.ts';
import { createRandom } from '../statistics/random.ts';
import { HEAT, RACE_STAGES } from './race/race.ts';
import { findSubject, isDeterministic, subjectOf } from './subject.ts';
import type { Draft, GateState, WantedRun } from './types.ts';

/** The lead is run once more per so many search trials, up to so many: it was chosen for being high, so it is too high. */
const SEARCHES_PER_LEAD_RUN = 4;
const LEAD_RUNS = 16;

/** How many runs of which candidate are needed to go on, whatever is under way. */
function demand(draft: Draft): Map<string, number> {
  const { state, config } = draft;
  const need = new Map<string, number>();
  const want = (id: string, runs: number): void => {
    if (runs > 0) need.set(id, Math.max(need.get(id) ?? 0, runs));
  };
  const calibrating = state.calibrating;
  // Nobody runs so far: the next candidate that does is calibrated.
  if (calibrating && calibrating.candidateId !== NOBODY)
    want(calibrating.candidateId, calibrating.need - subjectOf(state, calibrating.candidateId).fresh.n);
  for (const id of state.gathering) want(id, config.repeats - subjectOf(state, id).screen.n);
  for (const race of state.races) {
    const look = RACE_STAGES[race.look];
    if (!look) continue;
    want(race.candidateId, (race.heat ? HEAT.runs : look.runs) - race.values.length);
    if (!race.heat) want(state.incumbentId, look.runs - race.controls.length);
  }
  if (config.followsLead && config.policy === 'noise-gated' && !state.calibrating && !isDeterministic(state)) {
    const due = Math.min(LEAD_RUNS, Math.floor(state.sinceMove / SEARCHES_PER_LEAD_RUN));
    const { fresh, failures } = subjectOf(state, state.leadId);
    // A best that fails again and again has had its runs: the search goes on without more of them.
    if (failures <= MOST_FAILURES) want(state.leadId, Math.min(1, due - fresh.n));
  }
  for (const probe of state.probes) want(probe.next === 'lead' ? state.leadId : probe.candidateId, 1);
  return need;
}

/**
 * The runs to ask for now: the demand less what was asked for and has not ended. In random order, so that whatever the
 * machine does over time hits both sides of a race alike.
 */
export function requestRuns(draft: Draft): WantedRun[] {
  const { state } = draft;
  const wants = [...demand(draft)].flatMap(([candidateId, runs]) => {
    const under = state.asked.filter((run) => run.candidateId === candidateId).length;
    return Array.from({ length: Math.max(0, runs - under) }, () => wanted(state, candidateId));
  });
  const random = createRandom(state.counted.high + 1);
  for (let i = wants.length - 1; i > 0; i -= 1) {
    const j = random.below(i + 1);
    const [a, b] = [wants[i], wants[j]];
    if (a && b) [wants[i], wants[j]] = [b, a];
  }
  state.asked.push(...wants);
  return wants;
}

function wanted(state: GateState, candidateId: string): WantedRun {
  const ofTrial = findSubject(state, candidateId)?.ofTrial ?? null;
  if (state.calibrating?.candidateId === candidateId && candidateId === state.baselineId)
    return { kind: 'baseline', candidateId, ofTrial: null };
  const known = candidateId === state.incumbentId || candidateId === state.leadId;
  return { kind: known && !racing(state, candidateId) ? 'remeasure' : 'confirm', candidateId, ofTrial };
}

function racing(state: GateState, candidateId: string): boolean {
  return state.races.some((race) => race.candidateId === candidateId);
}

/** Forgets the candidates that play no part any more. */
export function pruneSubjects(state: GateState): void {
  const kept = new Set([
    state.baselineId,
    state.incumbentId,
    state.previousId,
    state.leadId,
    state.calibrating?.candidateId ?? null,
    ...state.trail,
    ...state.gathering,
    ...state.queue,
    ...state.probes.map((probe) => probe.candidateId),
    ...state.races.map((race) => race.candidateId),
  ]);
  // The parent of an open comparison is its yardstick.
  for (const probe of state.probes) kept.add(findSubject(state, probe.candidateId)?.parentId ?? null);
  for (const id of state.gathering) kept.add(findSubject(state, id)?.parentId ?? null);
  state.subjects = state.subjects.filter((subject) => kept.has(subject.candidateId));
}
