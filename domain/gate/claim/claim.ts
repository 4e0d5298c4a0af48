import { plural } from '../../text/plural.ts';
import { isConstant, seriesOf } from '../../statistics/series.ts';
import { discard } from '../rule.ts';
import { findSubject, MOST_VALUES, ownSd, subjectOf } from '../subject.ts';
import type { Draft, GateState, Subject } from '../types.ts';
import { formatVerdictNumber } from '../../text/format.ts';

/** Start of the reason that a demoted claim gets. */
export const DEMOTED = 'demoted: ';

/** Makes a candidate the incumbent, by the runs `values`. The former incumbent demotes the current one. */
export function makeIncumbent(draft: Draft, subject: Subject, values: readonly number[]): void {
  const { state } = draft;
  const old = subjectOf(state, state.incumbentId);
  subject.values = values.slice(-MOST_VALUES);
  subject.fresh = seriesOf(subject.values);
  state.incumbentId = subject.candidateId;
  state.claims += 1;
  state.crownedId = null;
  // A waiting claim needs a fresh run of the incumbent that it would replace.
  for (const waiting of state.exactClaims ?? []) waiting.controls = 0;
  draft.claimed = {
    candidateId: subject.candidateId,
    previous: old.candidateId,
    value: subject.fresh.mean * state.sign,
    sd: ownSd(state, subject),
    n: subject.fresh.n,
    ofTrial: subject.ofTrial,
  };
  if (subject.candidateId === state.previousId) {
    state.previousId = null;
    discard(draft, old, `${DEMOTED}${describeDemotion(state, old, subject)}`);
    if (state.leadId === old.candidateId) state.leadId = subject.candidateId;
  } else state.previousId = old.fresh.n > 0 ? old.candidateId : null;
  const lead = findSubject(state, state.leadId);
  if (!lead || lead.belief.mean < subject.belief.mean) state.leadId = subject.candidateId;
}

/** Reason for which a predecessor replaces the incumbent. A claim that is taken back may have the better mean. */
function describeDemotion({ sign }: GateState, old: Subject, { fresh }: Subject): string {
  const runs = plural(old.fresh.n, 'run');
  if (old.claimedOnTies && !isConstant(old.fresh))
    return `it was claimed since its runs agreed, and its ${runs} now differ`;
  const [now, before] = [old.fresh.mean, fresh.mean].map((mean) => formatVerdictNumber(mean * sign));
  return `its mean over ${runs} is ${now}, against ${before} for its predecessor`;
}

/** True if a person made the claim: a better candidate or a person can replace it, but not its predecessor. */
export const isClaimByPerson = ({ crownedId, incumbentId }: GateState): boolean => crownedId === incumbentId;

/** Reverses the strict rule: an incumbent that re-measures below its predecessor by more than minDelta is replaced. */
export function reviewStrict(draft: Draft): void {
  const { state, config } = draft;
  if (isClaimByPerson(state)) return;
  const previous = findSubject(state, state.previousId);
  if (!previous || previous.fresh.n === 0) return;
  if (previous.fresh.mean - subjectOf(state, state.incumbentId).fresh.mean <= config.minDelta) return;
  makeIncumbent(draft, previous, previous.values);
  state.leadId = state.incumbentId;
}
