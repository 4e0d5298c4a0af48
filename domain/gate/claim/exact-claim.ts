import { plural } from '../../text/plural.ts';
import { EMPTY_SERIES, seriesOf } from '../../statistics/series.ts';
import { confirm, discard } from '../rule.ts';
import { MOST_FAILURES, neverFails, noiseSd, poolRuns, subjectOf } from '../subject.ts';
import type { Draft, ExactClaim, GateState, Subject } from '../types.ts';
import { describeOwnAgreement } from './agreement.ts';
import { makeIncumbent } from './claim.ts';
import { describeFailedSides } from '../race/failed-runs.ts';
import { compareWithIncumbent } from './strict.ts';

/**
 * Fresh runs that a claim waits for if no run has shown noise. They agree if nothing varies. If runs vary rarely, a
 * lucky first value would have to come three times in a row (docs/decisions/0059-exact-claims-wait-for-fresh-runs.md).
 */
export const EXACT_RUNS = { candidate: 2, incumbent: 1 };
/** Most failed runs of a waiting claim. */
const PATIENCE = 3;

/** Rules on a candidate while no run has shown noise: if it is better, its claim waits for fresh runs. */
export function openExactClaim(draft: Draft, subject: Subject): void {
  const { state } = draft;
  const { mean, n } = subject.screen;
  const { isBetter, comparison, least } = compareWithIncumbent(draft, mean);
  if (!isBetter) {
    discard(draft, subject, `not better: ${comparison}${least} (runs agree to the last bit)`);
    return;
  }
  // Fresh runs are compared with the first ones like runs of any other candidate, so that a difference shows noise.
  subject.values = Array.from({ length: n }, () => mean);
  subject.fresh = seriesOf(subject.values);
  subject.screen = EMPTY_SERIES;
  subject.belief = { mean, variance: 0 };
  awaitFreshRuns(state, subject.candidateId);
  const { candidate, incumbent } = EXACT_RUNS;
  confirm(
    draft,
    subject,
    `better: ${comparison}; a claim waits until ${plural(candidate, 'more run')} of it and ` +
      `${plural(incumbent, 'more run')} of the best agree to the last bit with earlier ones`,
  );
}

/** Adds a waiting claim, which no fresh run has confirmed yet. */
export function awaitFreshRuns(state: GateState, candidateId: string): void {
  state.exactClaims = [...(state.exactClaims ?? []), { candidateId, runs: 0, controls: 0, failures: 0 }];
}

/** The waiting claim whose runs are requested: the best one, since the others lose if it is made. */
function bestExactClaim(state: GateState): ExactClaim | undefined {
  const meanOf = ({ candidateId }: ExactClaim): number => subjectOf(state, candidateId).fresh.mean;
  const [first, ...others] = state.exactClaims ?? [];
  return first && others.reduce((a, b) => (meanOf(b) > meanOf(a) ? b : a), first);
}

/** Counts a fresh run, which agrees with earlier ones as long as no noise shows. */
export function countExactRun(state: GateState, candidateId: string): void {
  for (const waiting of state.exactClaims ?? []) {
    if (waiting.candidateId === candidateId) waiting.runs += 1;
    if (state.incumbentId === candidateId) waiting.controls += 1;
  }
}

/**
 * Counts a failed run. If the unmodified version never fails, a candidate that fails has not agreed with itself, and a
 * failed run of the incumbent is a worse value: the candidate is still better. So is one against an incumbent whose
 * latest runs all failed. Otherwise such an incumbent would block every later claim.
 */
export function failExactRun(draft: Draft, subject: Subject): void {
  const { state } = draft;
  for (const waiting of [...(state.exactClaims ?? [])]) {
    const isCandidate = waiting.candidateId === subject.candidateId;
    if (!isCandidate && state.incumbentId !== subject.candidateId) continue;
    if (!isCandidate && (neverFails(state) || subject.failures > MOST_FAILURES)) {
      waiting.controls += 1;
      continue;
    }
    waiting.failures += 1;
    if (!isCandidate) waiting.failedControls = (waiting.failedControls ?? 0) + 1;
    if (isCandidate && neverFails(state))
      close(draft, waiting, 'no claim: a fresh run of it failed, and the unmodified version never fails');
    else if (waiting.failures > PATIENCE)
      close(draft, waiting, `no claim: ${describeFailedSides(waiting.failures, waiting.failedControls ?? 0)}`);
  }
}

/** Ends waiting claims that are no longer better, and makes the best one if its runs are complete. */
export function stepExactClaims(draft: Draft): void {
  const { state } = draft;
  endOvertaken(draft);
  const best = bestExactClaim(state);
  if (!best || best.runs < EXACT_RUNS.candidate || best.controls < EXACT_RUNS.incumbent) return;
  const subject = subjectOf(state, best.candidateId);
  const { comparison } = compareWithIncumbent(draft, subject.fresh.mean);
  state.exactClaims = (state.exactClaims ?? []).filter((waiting) => waiting !== best);
  const reason =
    `better: ${comparison}; its runs and those of the best agree to the last bit; ` + describeOwnAgreement(subject);
  if (subject.ofTrial !== null) draft.rulings.push({ n: subject.ofTrial, verdict: 'keep', reason });
  makeIncumbent(draft, subject, subject.values);
  subject.after = EMPTY_SERIES;
  subject.claimedOnTies = true;
  state.leadId = subject.candidateId;
  state.sinceMove = 0;
  endOvertaken(draft);
}

/** Ends waiting claims whose candidate is not better than the incumbent, which may be new. */
export function endOvertaken(draft: Draft): void {
  for (const waiting of [...(draft.state.exactClaims ?? [])]) {
    const { isBetter, comparison, least } = compareWithIncumbent(
      draft,
      subjectOf(draft.state, waiting.candidateId).fresh.mean,
    );
    if (!isBetter) close(draft, waiting, `not better than the new best: ${comparison}${least}`);
  }
}

function close(draft: Draft, waiting: ExactClaim, reason: string): void {
  const { state } = draft;
  state.exactClaims = (state.exactClaims ?? []).filter((other) => other !== waiting);
  state.asked = state.asked.filter(({ candidateId }) => candidateId !== waiting.candidateId);
  discard(draft, subjectOf(state, waiting.candidateId), reason);
}

/** Ends all waiting claims without a verdict, and returns their candidates, with all runs pooled as search runs. */
export function releaseExactClaims(state: GateState): Subject[] {
  const waiting = state.exactClaims ?? [];
  if (waiting.length === 0) return [];
  state.exactClaims = [];
  const subjects = waiting.map(({ candidateId }) => subjectOf(state, candidateId));
  for (const subject of subjects) poolRuns(subject);
  return subjects;
}

/** Runs that waiting claims need, by candidate, including runs under way. */
export function exactDemand(state: GateState): [candidateId: string, runs: number][] {
  const best = noiseSd(state) === 0 ? bestExactClaim(state) : undefined;
  if (!best) return [];
  return [
    [best.candidateId, EXACT_RUNS.candidate - best.runs],
    [state.incumbentId, EXACT_RUNS.incumbent - best.controls],
  ];
}
