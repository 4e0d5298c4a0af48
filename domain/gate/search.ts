import { addValue } from '../statistics/series.ts';
import { addRunOf, MOST_HELD, noteRawBest } from './copies.ts';
import { payIn } from './race/account.ts';
import { calibrate, NOBODY } from './claim/calibrate.ts';
import { makeIncumbent } from './claim/claim.ts';
import { failExactRun, openExactClaim } from './claim/exact-claim.ts';
import { judgeStrict } from './claim/strict.ts';
import { countFailedRun } from './race/failed-runs.ts';
import { closeComparison, giveUpLead, openComparison } from './screen/compare-with-lead.ts';
import { plainlyWorse, screenResult } from './screen/screening.ts';
import { addFreshRun, findSubject, MOST_FAILURES, newSubject, noiseSd } from './subject.ts';
import { discard } from './rule.ts';
import type { Draft, EndedRun, WaitingResult, Subject } from './types.ts';
import { formatVerdictNumber } from '../text/format.ts';

/**
 * Counts a search trial that was judged by its value or by early abort. Without the stopped trials, a lead whose
 * estimate is too high would hardly be run again (docs/experiments/0004).
 */
export function countSearch({ config, state }: Draft): void {
  payIn(config, state);
  state.searched += 1;
  state.sinceMove += 1;
}

/** Processes the value of a search trial (oriented). */
export function takeSearch(draft: Draft, run: EndedRun, value: number): void {
  const { state } = draft;
  if (run.reused !== true) noteRawBest(state, { n: run.n, candidateId: run.candidateId, value });
  const held = { n: run.n, candidateId: run.candidateId, parentId: run.parentId, value };
  if (findSubject(state, run.candidateId)) {
    follow(draft, held);
    return;
  }
  if (!state.calibrating) begin(draft, held);
  else if (state.calibrating.candidateId === NOBODY) adopt(draft, held);
  else hold(draft, held);
}

/** Processes a further search run of a known candidate. */
function follow({ state, rulings }: Draft, { n, candidateId, value }: WaitingResult): void {
  const known = findSubject(state, candidateId);
  if (known && known.fresh.n > 0) addFreshRun(state, known, value);
  rulings.push({ n, verdict: 'none', reason: 'a known candidate: this run adds to its estimate and gets no verdict' });
}

/** Makes the first candidate that ran the incumbent, since the unmodified version did not run. */
function adopt(draft: Draft, held: WaitingResult): void {
  const { state } = draft;
  const need = state.calibrating?.need ?? 1;
  const subject = newSubject(held.candidateId, held.parentId, held.n);
  state.subjects.push(subject);
  subject.belief = { mean: held.value, variance: 0 };
  makeIncumbent(draft, subject, [held.value]);
  state.leadId = held.candidateId;
  state.calibrating = { candidateId: held.candidateId, need };
  draft.rulings.push({
    n: held.n,
    verdict: 'keep',
    reason: 'the unmodified version gave no usable baseline; this is the first candidate with a value',
  });
  calibrate(draft);
}

/** Adopts the oldest result that waited in vain for the baseline; the others are ruled on against it. */
export function adoptOldestWaiting(draft: Draft): void {
  const oldest = draft.state.held.shift();
  if (oldest) adopt(draft, oldest);
}

/** Holds a result until the baseline is complete. Plainly worse results are held, too: the prior learns from all. */
function hold(draft: Draft, held: WaitingResult): void {
  const { state, config } = draft;
  state.held.push(held);
  // A single one of several seeds says too little.
  const worse = config.repeats > 1 ? null : plainlyWorse(state, held.value);
  const reason = worse ?? 'held: the verdict follows when the baseline runs are complete';
  draft.rulings.push({ n: held.n, verdict: worse === null ? 'none' : 'discard', reason });
  if (state.held.length <= MOST_HELD) return;
  const worst = state.held.reduce((a, b) => (b.value < a.value ? b : a));
  state.held = state.held.filter((result) => result !== worst);
  draft.rulings.push({
    n: worst.n,
    verdict: 'discard',
    reason: `dropped: ${MOST_HELD} better results wait for the baseline`,
  });
}

/** Rules on the results that waited for the baseline, oldest first. */
export function ruleOnWaiting(draft: Draft): void {
  const waiting = draft.state.held;
  draft.state.held = [];
  for (const held of waiting) begin(draft, held);
}

function begin(draft: Draft, held: WaitingResult): void {
  const { state, config } = draft;
  const known = findSubject(state, held.candidateId);
  if (held.copy) {
    if (known) addRunOf(draft, known, held.value);
    return;
  }
  // A candidate may have been held twice, since an injected one runs even if it is known.
  if (known) {
    follow(draft, held);
    return;
  }
  const subject = newSubject(held.candidateId, held.parentId, held.n);
  subject.screen = addValue(subject.screen, held.value);
  state.subjects.push(subject);
  if (config.repeats <= 1) {
    ruleOnCandidate(draft, subject);
    return;
  }
  state.gathering.push(held.candidateId);
  const value = formatVerdictNumber(held.value * state.sign);
  const reason = `${value} with the first of ${config.repeats} seeds; the mean over all seeds decides`;
  draft.rulings.push({ n: held.n, verdict: 'confirm', reason });
}

/** Rules on a candidate whose search runs are complete. */
export function ruleOnCandidate(draft: Draft, subject: Subject): void {
  const { state, config } = draft;
  if (config.policy === 'strict') judgeStrict(draft, subject);
  else if (noiseSd(state) === 0) openExactClaim(draft, subject);
  else if (config.followsLead) openComparison(draft, subject);
  else screenResult(draft, subject);
}

/** Processes a requested run without a value. It is requested again, a bounded number of times. */
export function failWanted(draft: Draft, subject: Subject): void {
  const { state } = draft;
  subject.failures += 1;
  subject.failed = (subject.failed ?? 0) + 1;
  failExactRun(draft, subject);
  for (const race of state.races) countFailedRun(state, race, subject.candidateId);
  if (subject.failures <= MOST_FAILURES) return;
  const reason = `given up: ${subject.failures} re-runs gave no value`;
  if (state.gathering.includes(subject.candidateId)) {
    state.gathering = state.gathering.filter((id) => id !== subject.candidateId);
    discard(draft, subject, reason);
  } else if (state.probes.some((probe) => probe.candidateId === subject.candidateId))
    closeComparison(draft, subject, reason);
  else if (
    state.leadId === subject.candidateId &&
    state.incumbentId !== subject.candidateId &&
    state.races.length === 0
  )
    giveUpLead(draft, subject, reason);
}
