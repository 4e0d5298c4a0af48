import { EMPTY_SERIES } from '../statistics/series.ts';
import { openingBalance } from './race/account.ts';
import { takeBackExactClaim } from './claim/take-back.ts';
import { addRunOf, LARGEST_VALUE, takeCopy } from './copies.ts';
import { runsToCalibrate } from './claim/calibrate.ts';
import { countRun, wasCounted } from './counted.ts';
import { EFFORT } from './race/race-obstacle.ts';
import { initialPrior } from './screen/prior.ts';
import { countSearch, failWanted, takeSearch } from './search.ts';
import { drawConclusions } from './draw-conclusions.ts';
import { reuseObstacle } from './screen/reuse.ts';
import { findSubject, isDeterministic, MOST_VALUES, newSubject } from './subject.ts';
import type { Advance, Draft, EndedRun, GateConfig, GateState, Subject, WantedRun } from './types.ts';
import { pruneSubjects, requestRuns } from './request-runs.ts';
import { isOutsideSearch } from '../trial.ts';

/** Opens a gate before its first run. Start the wanted runs first; search trials may run beside them. */
export function openGate(config: GateConfig, baselineCandidateId: string): { state: GateState; wanted: WantedRun[] } {
  const state: GateState = {
    version: 1,
    sign: config.direction === 'minimize' ? -1 : 1,
    counted: { high: 0, holes: [] },
    calibrating: { candidateId: baselineCandidateId, need: runsToCalibrate(config) },
    baselineId: baselineCandidateId,
    incumbentId: baselineCandidateId,
    previousId: null,
    crownedId: null,
    leadId: baselineCandidateId,
    trail: [],
    subjects: [newSubject(baselineCandidateId, null, null)],
    baseline: { series: EMPTY_SERIES, values: [] },
    noise: { ss: 0, df: 0 },
    prior: { weights: initialPrior(), n: 0 },
    held: [],
    gathering: [],
    probes: [],
    queue: [],
    races: [],
    asked: [],
    account: openingBalance(config),
    effort: EFFORT.start,
    rawBest: null,
    searched: 0,
    sinceMove: 0,
    claims: 0,
    raced: 0,
    drifted: 0,
  };
  return { state, wanted: requestRuns({ config, state, rulings: [], claimed: null }) };
}

/**
 * Processes one ended trial of a candidate; `value` is null if it has none. The state passed in is not changed. A trial
 * that was counted before changes nothing. Call this function, or {@link skipTrial}, for every trial.
 */
export function advance(config: GateConfig, before: GateState, run: EndedRun): Advance {
  if (wasCounted(before.counted, run.n)) return { state: before, rulings: [], wanted: [], claimed: null };
  if (isOutsideSearch(run)) {
    const reason =
      run.kind === 'ablation'
        ? 'a claim without one of its edits, from which nothing is claimed'
        : 'a sample of an evaluation, from which nothing is learnt or claimed';
    return {
      state: skipTrial(before, run.n),
      rulings: [{ n: run.n, verdict: 'none', reason }],
      wanted: [],
      claimed: null,
    };
  }
  const state = JSON.parse(JSON.stringify(before)) as GateState;
  const draft: Draft = { config, state, rulings: [], claimed: null };
  state.counted = countRun(state.counted, run.n);
  const value = run.value !== null && Math.abs(run.value) <= LARGEST_VALUE ? run.value * state.sign : null;
  const wasExact = isDeterministic(state);
  const isProposal = run.kind === 'search' || run.kind === 'injected';
  if (isProposal && config.measuresOnly === true) {
    draft.rulings.push({ n: run.n, verdict: 'none', reason: 'a sample of an evaluation, in which nothing is claimed' });
  } else if (run.reused === true) takeReused(draft, run, value);
  else if (run.copy === true) takeCopy(draft, run, value);
  else if (isProposal) {
    if (value !== null || run.stopped) countSearch(draft);
    if (value === null) draft.rulings.push({ n: run.n, verdict: 'discard', reason: 'ended without a value' });
    else takeSearch(draft, run, value);
  } else takeWanted(draft, run, value);
  takeBackExactClaim(draft, wasExact);
  if (wasExact && !isDeterministic(state) && config.policy === 'noise-gated')
    state.calibrating ??= { candidateId: state.incumbentId, need: 3 };
  if (value !== null && run.reused !== true) state.effort = Math.min(EFFORT.most, state.effort + EFFORT.perRun);
  drawConclusions(draft);
  const wanted = requestRuns(draft);
  pruneSubjects(state);
  return { state, rulings: draft.rulings, wanted, claimed: draft.claimed };
}

/**
 * Counts an ended trial that is no evidence: it has no candidate, or was measured by another rule. Otherwise its number
 * would stay among the missing ones, of which only a bounded number is remembered.
 */
export function skipTrial(before: GateState, n: number): GateState {
  return wasCounted(before.counted, n) ? before : { ...before, counted: countRun(before.counted, n) };
}

/** Processes a value that another research measured. It counts as a search run, unless it could make a claim. */
function takeReused(draft: Draft, run: EndedRun, value: number | null): void {
  const { config, state, rulings } = draft;
  const obstacle =
    run.value === null || value === null
      ? 'it has no usable value'
      : reuseObstacle(config, state, { ...run, value: run.value });
  if (obstacle !== null || value === null) {
    rulings.push({ n: run.n, verdict: 'none', reason: `a value of another research gets no verdict: ${obstacle}` });
    return;
  }
  countSearch(draft);
  takeSearch(draft, run, value);
}

/** Processes a run that the gate requested: baseline, confirm or remeasure. */
function takeWanted(draft: Draft, run: EndedRun, value: number | null): void {
  const { state } = draft;
  const index = state.asked.findIndex((request) => request.candidateId === run.candidateId);
  if (index >= 0) state.asked.splice(index, 1);
  const subject = findSubject(state, run.candidateId);
  if (value === null) {
    if (subject && !run.censored) failWanted(draft, subject);
    draft.rulings.push({ n: run.n, verdict: 'none', reason: `a ${run.kind} run that gave no value` });
    return;
  }
  const origin = run.ofTrial === null ? '' : ` of trial ${run.ofTrial}`;
  draft.rulings.push({
    n: run.n,
    verdict: 'none',
    reason: `a ${run.kind} run${origin}: it adds to the estimate and gets no verdict`,
  });
  if (!subject) return;
  addRequestedValue(draft, subject, value);
}

/** Adds the value of a requested run to its candidate, and to the races of it or against it. */
function addRequestedValue(draft: Draft, subject: Subject, value: number): void {
  const { state } = draft;
  const isGathering = state.gathering.includes(subject.candidateId);
  addRunOf(draft, subject, value);
  if (isGathering) return;
  for (const race of state.races) {
    if (race.candidateId === subject.candidateId) race.values.push(value);
    if (state.incumbentId === subject.candidateId) race.controls = [...race.controls, value].slice(-MOST_VALUES);
  }
}

export { changeRule } from './change-rule.ts';
export { baseline, claim, hasValue, isMeasured, lead, searchPoints, type Measured, type Standing } from './standing.ts';
export { noiseWarnings } from './noise-warnings.ts';
export { reuseObstacle } from './screen/reuse.ts';
export { raceObstacle, type RaceObstacle } from './race/race-obstacle.ts';
export { startLastRace } from './race/start-last-race.ts';
export { earlyProposals } from './early-proposals.ts';
export { isBaselineGivenUp } from './claim/calibrate.ts';
export { DEMOTED } from './claim/claim.ts';
export { claimBasis, type ClaimBasis } from './claim/claim-basis.ts';
export { reportGain, type GainSource, type GainReport } from './report-gain.ts';
export { override } from './claim/override.ts';
export type * from './types.ts';
