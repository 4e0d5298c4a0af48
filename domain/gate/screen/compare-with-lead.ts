import { isClaimByPerson } from '../claim/claim.ts';
import { chooseNextRun, type NextRunChoice } from './choose-next-run.ts';
import {
  gainBelief,
  mixWithInitialPrior,
  updatePrior,
  posterior,
  valueBelief,
  worthOfSearch,
  type CandidateEvidence,
} from './prior.ts';
import { findSubject, noiseSd, subjectOf } from '../subject.ts';
import { confirm, discard } from '../rule.ts';
import type { Belief, Draft, GateState, Subject } from '../types.ts';
import { formatVerdictNumber, formatVerdictGain } from '../../text/format.ts';

/** Candidates compared with the lead at the same time; the least promising beyond that is dropped. */
const MOST_PROBES = 12;
/** Runs after which a comparison is decided by its sign. */
const MOST_RUNS = 12;
const TRAIL = 4;

/** What the runs say of a candidate, read with the prior from its parent on. */
export function estimateCandidate(
  state: GateState,
  subject: Subject,
): { weights: number[]; seen: CandidateEvidence; value: Belief } {
  const noise = noiseSd(state);
  const parent = findSubject(state, subject.parentId) ?? subjectOf(state, state.leadId);
  const n = Math.max(1, subject.screen.n + subject.fresh.n);
  const mean = (subject.screen.n * subject.screen.mean + subject.fresh.n * subject.fresh.mean) / n;
  const seen = { base: parent.belief, mean, variance: (noise * noise) / n, noise };
  const weights = posterior(mixWithInitialPrior(state.prior.weights), seen);
  return { weights, seen, value: valueBelief(weights, seen) };
}

/** Belief about candidate − lead. */
function edge(state: GateState, subject: Subject): Belief {
  const { weights, seen, value } = estimateCandidate(state, subject);
  const lead = subjectOf(state, state.leadId);
  if (!findSubject(state, subject.parentId) || subject.parentId === state.leadId) return gainBelief(weights, seen);
  return { mean: value.mean - lead.belief.mean, variance: value.variance + lead.belief.variance };
}

function decide(state: GateState, subject: Subject): { choice: NextRunChoice; over: Belief } {
  const noise = noiseSd(state);
  const over = edge(state, subject);
  const runs = subject.screen.n + subject.fresh.n;
  const [mean, sd] = [over.mean / noise, Math.sqrt(over.variance) / noise];
  if (runs >= MOST_RUNS || sd === 0) return { choice: mean > 0 ? 'accept' : 'reject', over };
  if (mean + 3 * sd < 0) return { choice: 'reject', over };
  const ofLead = Math.max(1e-6, subjectOf(state, state.leadId).belief.variance / (noise * noise));
  const worth = worthOfSearch(mixWithInitialPrior(state.prior.weights), Math.sqrt(1 + ofLead));
  return { choice: chooseNextRun({ mean, sd, ofCandidate: 1 / runs, ofLead, worth }), over };
}

/** Takes up a new search result; one ruling follows at once. */
export function openComparison(draft: Draft, subject: Subject): void {
  const { state } = draft;
  state.probes.push({ candidateId: subject.candidateId, next: 'candidate' });
  stepComparison(draft, subject, true);
  if (state.probes.length <= MOST_PROBES) return;
  const gains = state.probes.map((probe) => edge(state, subjectOf(state, probe.candidateId)).mean);
  const worst = state.probes[gains.indexOf(Math.min(...gains))];
  const dropped = findSubject(state, worst?.candidateId ?? null);
  if (dropped) closeComparison(draft, dropped, `dropped: ${MOST_PROBES} more promising candidates are being re-run`);
}

/** Decides what is to be done with a probe after new runs: follow it, drop it, or ask for one more run. */
export function stepComparison(draft: Draft, subject: Subject, first = false): void {
  const { state } = draft;
  const probe = state.probes.find((one) => one.candidateId === subject.candidateId);
  if (!probe) return;
  const { choice, over } = decide(state, subject);
  const runs = subject.screen.n + subject.fresh.n;
  const words = `expected gain over the lead ${formatVerdictGain(over.mean)} ± ${formatVerdictNumber(Math.sqrt(over.variance))} after ${runs} run${runs > 1 ? 's' : ''}`;
  if (choice === 'reject') closeComparison(draft, subject, words);
  else if (choice === 'accept') moveLead(draft, subject, words);
  else {
    probe.next = choice;
    if (first) confirm(draft, subject, `${words}: worth another run`);
  }
}

/** Ends a probe without moving the lead; the prior learns from it. */
export function closeComparison(draft: Draft, subject: Subject, reason: string): void {
  const { state } = draft;
  state.prior = updatePrior(state.prior, estimateCandidate(state, subject).weights);
  state.probes = state.probes.filter((probe) => probe.candidateId !== subject.candidateId);
  discard(draft, subject, reason);
}

function moveLead(draft: Draft, subject: Subject, words: string): void {
  const { state } = draft;
  const { weights, value } = estimateCandidate(state, subject);
  state.prior = updatePrior(state.prior, weights);
  subject.belief = value;
  state.probes = state.probes.filter((probe) => probe.candidateId !== subject.candidateId);
  const old = subjectOf(state, state.leadId);
  const open =
    old.candidateId !== state.incumbentId && !state.races.some((race) => race.candidateId === old.candidateId);
  if (open) discard(draft, old, `no claim: the lead moved on to trial ${subject.ofTrial ?? 0}`);
  state.trail = [...state.trail, state.leadId].slice(-TRAIL);
  state.leadId = subject.candidateId;
  state.sinceMove = 0;
  confirm(draft, subject, `the lead moves here: ${words}; a claim needs a race`);
}

/** Takes the lead from a candidate that cannot be run any more: back to where it was, or to the incumbent. */
export function giveUpLead(draft: Draft, subject: Subject, reason: string): void {
  const { state } = draft;
  discard(draft, subject, reason);
  state.trail = state.trail.filter((id) => id !== subject.candidateId);
  const [best] = [...state.trail, state.incumbentId]
    .map((id) => findSubject(state, id))
    .filter((one) => one !== undefined)
    .sort((a, b) => b.belief.mean - a.belief.mean);
  state.leadId = best?.candidateId ?? state.incumbentId;
  state.trail = state.trail.filter((id) => id !== state.leadId);
  state.sinceMove = 0;
}

/** Takes the lead back to where it was, or to the incumbent, when later runs have lowered its estimate below theirs. */
export function fallBack(draft: Draft): void {
  const { state } = draft;
  const lead = subjectOf(state, state.leadId);
  const better = [...state.trail, isClaimByPerson(state) ? null : state.previousId, state.incumbentId]
    .map((id) => findSubject(state, id))
    .filter((one) => one !== undefined)
    .filter((one) => one.screen.n + one.fresh.n > 0 && one.belief.mean > lead.belief.mean)
    .sort((a, b) => b.belief.mean - a.belief.mean)[0];
  if (!better) return;
  const where = better.ofTrial === null ? 'the unmodified version' : `trial ${better.ofTrial}`;
  const racing = state.races.some((race) => race.candidateId === lead.candidateId);
  if (lead.candidateId !== state.incumbentId && !racing)
    discard(
      draft,
      lead,
      `re-runs brought its estimate to ${formatVerdictNumber(lead.belief.mean * state.sign)}: the lead goes back to ${where}`,
    );
  state.leadId = better.candidateId;
  state.sinceMove = 0;
  state.trail = state.trail.filter((id) => id !== better.candidateId);
}
