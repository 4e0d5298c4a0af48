import { NOBODY, runsToCalibrate } from './calibrate.ts';
import { makeIncumbent } from './claim.ts';
import { endOvertaken, releaseExactClaims } from './exact-claim.ts';
import { restartRaces } from '../race/racing.ts';
import { discard } from '../rule.ts';
import { dropCandidate } from './drop-candidate.ts';
import { drawConclusions } from '../draw-conclusions.ts';
import { estimateIncumbent } from '../estimate/estimate.ts';
import { findSubject, newSubject, noiseSd } from '../subject.ts';
import type { Advance, Draft, GateConfig, GateState } from '../types.ts';
import { pruneSubjects, requestRuns } from '../request-runs.ts';

/** Beginning of the reason of a person's verdict, as trials store it. */
export const BY_PERSON = 'overridden by a person: ';

/**
 * A person's verdict on a completed trial. `keep` makes its candidate the incumbent until another candidate beats it;
 * `discard` takes the claim back. Repeating a verdict changes nothing.
 */
export interface Override {
  verdict: 'keep' | 'discard';
  n: number;
  candidateId: string;
  /** The trial's value, in the units of the metric. */
  value: number;
}

/**
 * Applies a person's verdict, or returns the reason why it cannot be applied. The state passed in is not changed. The
 * caller reads the raw best again, since the gate remembers only one.
 */
export function override(config: GateConfig, before: GateState, ruling: Override): Advance | { refused: string } {
  const { verdict, n, candidateId, value } = ruling;
  const state = JSON.parse(JSON.stringify(before)) as GateState;
  const draft: Draft = { config, state, rulings: [], claimed: null };
  const isIncumbent = candidateId === state.incumbentId;
  if (verdict === 'keep') {
    if (!Number.isFinite(value)) return { refused: `n: expected a finite value, trial ${n} has none` };
    if (!isIncumbent) enthrone(draft, ruling);
    else if (state.previousId !== null) dropCandidate(state, state.previousId);
    state.crownedId = candidateId;
  } else if (isIncumbent) {
    if (candidateId === state.baselineId)
      return { refused: 'n: expected a claim to take back; the incumbent is the unmodified version' };
    depose(draft, candidateId);
  } else dropCandidate(state, candidateId);
  useEstimate(draft);
  const ofTrial = findSubject(before, candidateId)?.ofTrial ?? n;
  if (ofTrial !== n)
    draft.rulings.push({ n: ofTrial, verdict, reason: `a person's verdict on run #${n} of this candidate` });
  recalibrate(draft);
  const wanted = requestRuns(draft);
  pruneSubjects(state);
  return { state, rulings: draft.rulings, wanted, claimed: draft.claimed };
}

function enthrone(draft: Draft, ruling: Override): void {
  const { state } = draft;
  const { n, candidateId } = ruling;
  dropCandidate(state, candidateId);
  let subject = findSubject(state, candidateId);
  if (!subject) {
    subject = newSubject(candidateId, null, n);
    state.subjects.push(subject);
  }
  const value = ruling.value * state.sign;
  const values = subject.values.length > 0 ? subject.values : [value];
  if (subject.belief.variance === 0) subject.belief = { mean: value, variance: noiseSd(state) ** 2 };
  const lead = findSubject(state, state.leadId);
  // A return to the previous claim does not discard the current one, so that a later `discard` returns to it.
  if (state.previousId === candidateId) state.previousId = null;
  const isAbandoned = lead && ![candidateId, state.incumbentId, ...racing(state)].includes(lead.candidateId);
  if (isAbandoned) discard(draft, lead, `no claim: a person chose trial ${n}`);
  makeIncumbent(draft, subject, values);
  state.leadId = candidateId;
  state.trail = [];
  restartRaces(draft);
  endOvertaken(draft);
}

/** Gives the claim the value of the incumbent's estimate: an earlier claim may have its runs after the claim. */
function useEstimate({ state, claimed }: Draft): void {
  const estimate = estimateIncumbent(state);
  if (claimed && estimate) Object.assign(claimed, { value: estimate.mean * state.sign, n: estimate.n });
}

function depose(draft: Draft, candidateId: string): void {
  const { state } = draft;
  const previous = findSubject(state, state.previousId) ?? findSubject(state, state.baselineId);
  dropCandidate(state, candidateId);
  if (!previous || previous.fresh.n === 0) {
    startAnew(draft);
    return;
  }
  makeIncumbent(draft, previous, previous.values);
  state.claims -= 1;
  state.previousId = null;
  restartRaces(draft);
  endOvertaken(draft);
  state.trail = state.trail.filter((id) => id !== candidateId);
  if (state.leadId === candidateId) state.leadId = previous.candidateId;
}

/** Restarts without an incumbent, since no earlier one ran: the next candidate that runs becomes the incumbent. */
function startAnew(draft: Draft): void {
  const { state, config } = draft;
  for (const { candidateId } of state.races) {
    const subject = findSubject(state, candidateId);
    if (subject) discard(draft, subject, 'race ended: a person took back the claim that it raced against');
  }
  for (const subject of releaseExactClaims(state))
    discard(draft, subject, 'no claim: a person took back the claim that it was compared with');
  const { baselineId } = state;
  Object.assign(state, { incumbentId: baselineId, leadId: baselineId, previousId: null, crownedId: null });
  Object.assign(state, { trail: [], races: [], asked: [] });
  state.calibrating = { candidateId: NOBODY, need: runsToCalibrate(config) };
  drawConclusions(draft);
}

const racing = ({ races }: GateState): string[] => races.map(({ candidateId }) => candidateId);

/** Moves a running measurement from a claim that was taken back to the incumbent that replaces it. */
function recalibrate(draft: Draft): void {
  const { state } = draft;
  const { calibrating, baselineId, incumbentId } = state;
  if (!calibrating || [NOBODY, baselineId, incumbentId].includes(calibrating.candidateId)) return;
  state.asked = state.asked.filter(({ candidateId }) => candidateId !== calibrating.candidateId);
  calibrating.candidateId = incumbentId;
  drawConclusions(draft);
}
