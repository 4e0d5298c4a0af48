import { NOBODY } from './claim/calibrate.ts';
import { exactDemand } from './claim/exact-claim.ts';
import { createRandom } from '../statistics/random.ts';
import { withFailedRuns } from './race/failed-runs.ts';
import { HEAT, RACE_STAGES } from './race/race.ts';
import { findSubject, isDeterministic, MOST_FAILURES, subjectOf } from './subject.ts';
import { runsAfterClaim } from './claim/request-after-claim.ts';
import type { Draft, GateState, Race, WantedRun } from './types.ts';

/** Search trials for each further run of the lead. A lead is selected for a high value, so its estimate is too high. */
const SEARCHES_PER_LEAD_RUN = 4;
/** Most such runs. */
const LEAD_RUNS = 16;

type Demand = [candidateId: string, runs: number];

/** Number of runs that each candidate needs, including runs under way. */
function demand(draft: Draft): Map<string, number> {
  const { state, config } = draft;
  const demands: Demand[] = [
    ...calibrationDemand(state),
    [state.incumbentId, runsAfterClaim(config, state)],
    ...state.gathering.map((id): Demand => [id, config.repeats - subjectOf(state, id).screen.n]),
    ...state.races.flatMap((race) => raceDemand(state, race)),
    ...leadDemand(draft),
    ...(config.policy === 'noise-gated' && !state.calibrating ? exactDemand(state) : []),
    ...state.probes.map((probe): Demand => [probe.next === 'lead' ? state.leadId : probe.candidateId, 1]),
  ];
  const need = new Map<string, number>();
  for (const [id, runs] of demands) if (runs > 0) need.set(id, Math.max(need.get(id) ?? 0, runs));
  return need;
}

/** Without any candidate that ran, nothing is requested: the next candidate that runs is calibrated. */
function calibrationDemand(state: GateState): Demand[] {
  const { calibrating } = state;
  if (!calibrating || calibrating.candidateId === NOBODY) return [];
  const { candidateId, need } = calibrating;
  return [[candidateId, need - subjectOf(state, candidateId).fresh.n]];
}

/** A heat compares with old runs of the incumbent. */
function raceDemand(state: GateState, race: Race): Demand[] {
  const look = RACE_STAGES[race.look];
  if (!look) return [];
  const { values, controls } = withFailedRuns(state, race);
  if (race.heat) return [[race.candidateId, HEAT.runs - values.length]];
  return [
    [race.candidateId, look.runs - values.length],
    [state.incumbentId, look.runs - controls.length],
  ];
}

/** A lead that fails repeatedly gets no further runs; the search goes on without them. */
function leadDemand({ state, config }: Draft): Demand[] {
  if (!config.followsLead || config.policy !== 'noise-gated') return [];
  if (state.calibrating || isDeterministic(state)) return [];
  const due = Math.min(LEAD_RUNS, Math.floor(state.sinceMove / SEARCHES_PER_LEAD_RUN));
  const { fresh, failures } = subjectOf(state, state.leadId);
  return failures <= MOST_FAILURES ? [[state.leadId, Math.min(1, due - fresh.n)]] : [];
}

/**
 * Returns the runs to request now: the demand less requested runs that have not ended. The order is random, so that
 * drift of the machine affects both sides of a race alike.
 */
export function requestRuns(draft: Draft): WantedRun[] {
  const { state } = draft;
  const wanted = [...demand(draft)].flatMap(([candidateId, runs]) => {
    const underWay = state.asked.filter((run) => run.candidateId === candidateId).length;
    return Array.from({ length: Math.max(0, runs - underWay) }, () => wantedRun(state, candidateId));
  });
  const random = createRandom(state.counted.high + 1);
  for (let i = wanted.length - 1; i > 0; i -= 1) {
    const j = random.below(i + 1);
    const [a, b] = [wanted[i], wanted[j]];
    if (a && b) [wanted[i], wanted[j]] = [b, a];
  }
  state.asked.push(...wanted);
  return wanted;
}

function wantedRun(state: GateState, candidateId: string): WantedRun {
  const ofTrial = findSubject(state, candidateId)?.ofTrial ?? null;
  if (state.calibrating?.candidateId === candidateId && candidateId === state.baselineId)
    return { kind: 'baseline', candidateId, ofTrial: null };
  const known = candidateId === state.incumbentId || candidateId === state.leadId;
  return { kind: known && !isRacing(state, candidateId) ? 'remeasure' : 'confirm', candidateId, ofTrial };
}

function isRacing(state: GateState, candidateId: string): boolean {
  return state.races.some((race) => race.candidateId === candidateId);
}

/** Drops the candidates that the state no longer refers to. */
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
    ...(state.exactClaims ?? []).map((waiting) => waiting.candidateId),
  ]);
  // An open comparison needs the belief about its candidate's parent.
  for (const probe of state.probes) kept.add(findSubject(state, probe.candidateId)?.parentId ?? null);
  for (const { candidateId } of state.exactClaims ?? []) kept.add(findSubject(state, candidateId)?.parentId ?? null);
  for (const id of state.gathering) kept.add(findSubject(state, id)?.parentId ?? null);
  state.subjects = state.subjects.filter((subject) => kept.has(subject.candidateId));
}
