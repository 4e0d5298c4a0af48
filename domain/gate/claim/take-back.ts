import { isConstant } from '../../statistics/series.ts';
import { restartRaces } from '../race/racing.ts';
import { findSubject, isDeterministic, subjectOf } from '../subject.ts';
import type { Draft, GateState } from '../types.ts';
import { isClaimByPerson, makeIncumbent } from './claim.ts';
import { awaitFreshRuns } from './exact-claim.ts';

/**
 * Takes back a claim that rests only on runs that agreed, once runs of its candidate differ. The predecessor returns,
 * and the candidate waits until it is compared as any other. `wasExact`: no run had shown noise before this one.
 */
export function takeBackExactClaim(draft: Draft, wasExact: boolean): void {
  const { state, config } = draft;
  const { incumbentId, baselineId } = state;
  if (config.policy !== 'noise-gated' || isDeterministic(state)) return;
  if (wasExact) markClaimsOnTies(state);
  if (incumbentId === baselineId || isClaimByPerson(state)) return;
  const subject = subjectOf(state, incumbentId);
  if (!subject.claimedOnTies || subject.fresh.n < 2 || isConstant(subject.fresh) || state.calibrating !== null) return;
  const base = findSubject(state, baselineId);
  const previous = findSubject(state, state.previousId) ?? base;
  if (!previous || previous.fresh.n === 0) return;
  state.previousId = previous.candidateId;
  makeIncumbent(draft, previous, previous.values);
  delete subject.claimedOnTies;
  delete subject.after;
  state.trail = state.trail.filter((id) => id !== incumbentId);
  restartRaces(draft);
  if (state.races.some((race) => race.candidateId === incumbentId)) return;
  awaitFreshRuns(state, incumbentId);
  // At the end of a search the candidate may have a last race.
  delete state.lastRaceAt;
}

/**
 * Marks the claims that may return as resting on runs that agreed. As long as no run had shown noise, no race was
 * possible. This finds claims of 0.2 and of the strict rule, also one that a later claim replaced.
 */
function markClaimsOnTies(state: GateState): void {
  for (const id of [state.incumbentId, state.previousId]) {
    const subject = id === state.baselineId || id === state.crownedId ? undefined : findSubject(state, id);
    if (subject) subject.claimedOnTies = true;
  }
}
