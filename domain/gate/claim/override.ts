import { NOBODY, runsToCalibrate } from './calibrate.ts';
import { makeIncumbent } from './claim.ts';
import { restartRaces } from '../race/racing.ts';
import { discard } from '../rule.ts';
import { drawConclusions } from '../draw-conclusions.ts';
import { findSubject, newSubject, noiseSd } from '../subject.ts';
import type { Advance, Draft, GateConfig, GateState } from '../types.ts';
import { pruneSubjects, requestRuns } from '../request-runs.ts';

/**
 * A person's word on a completed trial: `keep` makes its candidate the incumbent, which stays it until another candidate
 * beats it; `discard` takes the claim back. The same word again changes nothing.
 */
export interface Override {
  verdict: 'keep' | 'discard';
  n: number;
  candidateId: string;
  /** The trial's value, in the units of the metric. */
  value: number;
}

/** Applies a person's verdict, or says in one sentence why it cannot be. The state passed in is not changed. */
export function override(config: GateConfig, before: GateState, word: Override): Advance | { refused: string } {
  const state = JSON.parse(JSON.stringify(before)) as GateState;
  const draft: Draft = { config, state, rulings: [], claimed: null };
  const isIncumbent = word.candidateId === state.incumbentId;
  // Shown no more; the best of those to come takes its place.
  if (word.verdict === 'discard' && state.rawBest?.candidateId === word.candidateId) state.rawBest = null;
  if (word.verdict === 'keep') {
    if (!Number.isFinite(word.value)) return { refused: `n: expected a finite value, trial ${word.n} has none` };
    if (!isIncumbent) enthrone(draft, word);
    else if (state.previousId !== null) drop(state, state.previousId);
    state.crownedId = word.candidateId;
  } else if (isIncumbent) {
    if (word.candidateId === state.baselineId)
      return { refused: 'n: the unmodified version is the incumbent, there is nothing to go back to' };
    depose(draft, word);
  } else drop(state, word.candidateId);
  const ofTrial = findSubject(before, word.candidateId)?.ofTrial ?? word.n;
  if (ofTrial !== word.n)
    draft.rulings.push({ n: ofTrial, verdict: word.verdict, reason: `a person's word on its run #${word.n}` });
  recalibrate(draft);
  const wants = requestRuns(draft);
  pruneSubjects(state);
  return { state, rulings: draft.rulings, wants, claimed: draft.claimed };
}

function enthrone(draft: Draft, word: Override): void {
  const { state } = draft;
  drop(state, word.candidateId);
  let subject = findSubject(state, word.candidateId);
  if (!subject) {
    subject = newSubject(word.candidateId, null, word.n);
    state.subjects.push(subject);
  }
  const value = word.value * state.sign;
  const values = subject.values.length > 0 ? subject.values : [value];
  if (subject.belief.variance === 0) subject.belief = { mean: value, variance: noiseSd(state) ** 2 };
  const lead = findSubject(state, state.leadId);
  // A person who goes back to the claim before this one does not discard this one: `discard` returns to it.
  if (state.previousId === word.candidateId) state.previousId = null;
  const isLeft = lead && ![word.candidateId, state.incumbentId, ...racing(state)].includes(lead.candidateId);
  if (isLeft) discard(draft, lead, `no claim: a person chose trial ${word.n}`);
  makeIncumbent(draft, subject, values);
  state.leadId = word.candidateId;
  state.trail = [];
  restartRaces(draft);
}

function depose(draft: Draft, word: Override): void {
  const { state } = draft;
  const previous = findSubject(state, state.previousId) ?? findSubject(state, state.baselineId);
  drop(state, word.candidateId);
  if (!previous || previous.fresh.n === 0) {
    startAnew(draft);
    return;
  }
  makeIncumbent(draft, previous, previous.values);
  state.claims -= 1;
  state.previousId = null;
  restartRaces(draft);
  state.trail = state.trail.filter((id) => id !== word.candidateId);
  if (state.leadId === word.candidateId) state.leadId = previous.candidateId;
}

/** Nothing that ran is left to go back to: the next candidate that runs becomes the incumbent. */
function startAnew(draft: Draft): void {
  const { state, config } = draft;
  for (const { candidateId } of state.races) {
    const subject = findSubject(state, candidateId);
    if (subject) discard(draft, subject, 'its race ended: a person took the claim back that it was with');
  }
  const { baselineId } = state;
  Object.assign(state, { incumbentId: baselineId, leadId: baselineId, previousId: null, crownedId: null });
  Object.assign(state, { trail: [], races: [], asked: [] });
  state.calibrating = { candidateId: NOBODY, need: runsToCalibrate(config) };
  drawConclusions(draft);
}

const racing = ({ races }: GateState): string[] => races.map(({ candidateId }) => candidateId);

/** A claim that was being measured and is taken back need not be measured any more; the one in its place must be. */
function recalibrate(draft: Draft): void {
  const { state } = draft;
  const { calibrating, baselineId, incumbentId } = state;
  if (!calibrating || [NOBODY, baselineId, incumbentId].includes(calibrating.candidateId)) return;
  state.asked = state.asked.filter(({ candidateId }) => candidateId !== calibrating.candidateId);
  calibrating.candidateId = incumbentId;
  drawConclusions(draft);
}

/** Takes a candidate out of everything that is open. */
function drop(state: GateState, candidateId: string): void {
  state.races = state.races.filter((race) => race.candidateId !== candidateId);
  state.probes = state.probes.filter((probe) => probe.candidateId !== candidateId);
  state.queue = state.queue.filter((id) => id !== candidateId);
  state.gathering = state.gathering.filter((id) => id !== candidateId);
  state.held = state.held.filter((held) => held.candidateId !== candidateId);
  state.trail = state.trail.filter((id) => id !== candidateId);
  if (state.leadId === candidateId && state.incumbentId !== candidateId) state.leadId = state.incumbentId;
}
