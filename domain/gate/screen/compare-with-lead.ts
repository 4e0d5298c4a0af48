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
import { findSubject, MOST_FAILURES, noiseSd, subjectOf } from '../subject.ts';
import { confirm, discard } from '../rule.ts';
import type { Belief, Draft, GateState, Subject } from '../types.ts';
import { formatVerdictNumber, formatVerdictGain } from '../../text/format.ts';

/** Most candidates compared with the lead at the same time; beyond them the least promising is dropped. */
const MOST_PROBES = 12;
/** Runs after which a comparison is decided by its sign. */
const MOST_RUNS = 12;
/** Most earlier leads that are stored. */
const TRAIL = 4;

/** Estimates a candidate's value from its runs, its parent's value and the prior over gains. */
export function estimateCandidate(
  state: GateState,
  subject: Subject,
): { weights: number[]; evidence: CandidateEvidence; value: Belief } {
  const noise = noiseSd(state);
  const parent = findSubject(state, subject.parentId) ?? subjectOf(state, state.leadId);
  const n = Math.max(1, subject.screen.n + subject.fresh.n);
  const mean = (subject.screen.n * subject.screen.mean + subject.fresh.n * subject.fresh.mean) / n;
  const evidence = { base: parent.belief, mean, variance: (noise * noise) / n, noise };
  const weights = posterior(mixWithInitialPrior(state.prior.weights), evidence);
  return { weights, evidence, value: valueBelief(weights, evidence) };
}

/** Belief about candidate − lead. */
function gainOverLead(state: GateState, subject: Subject): Belief {
  const { weights, evidence, value } = estimateCandidate(state, subject);
  const lead = subjectOf(state, state.leadId);
  if (!findSubject(state, subject.parentId) || subject.parentId === state.leadId) return gainBelief(weights, evidence);
  return { mean: value.mean - lead.belief.mean, variance: value.variance + lead.belief.variance };
}

function decide(state: GateState, subject: Subject): { choice: NextRunChoice; gain: Belief } {
  const noise = noiseSd(state);
  const gain = gainOverLead(state, subject);
  const runs = subject.screen.n + subject.fresh.n;
  const [mean, sd] = [gain.mean / noise, Math.sqrt(gain.variance) / noise];
  if (runs >= MOST_RUNS || sd === 0) return { choice: mean > 0 ? 'accept' : 'reject', gain };
  if (mean + 3 * sd < 0) return { choice: 'reject', gain };
  const lead = subjectOf(state, state.leadId);
  const ofLead = Math.max(1e-6, lead.belief.variance / (noise * noise));
  const worth = worthOfSearch(mixWithInitialPrior(state.prior.weights), Math.sqrt(1 + ofLead));
  const choice = chooseNextRun({ mean, sd, ofCandidate: 1 / runs, ofLead, worth });
  // Otherwise a lead whose runs all fail would be run for ever, and the search would stand still.
  if (choice === 'lead' && lead.failures > MOST_FAILURES) return { choice: mean > 0 ? 'accept' : 'reject', gain };
  return { choice, gain };
}

/** Begins the comparison of a new search result, which is ruled on at once. */
export function openComparison(draft: Draft, subject: Subject): void {
  const { state } = draft;
  state.probes.push({ candidateId: subject.candidateId, next: 'candidate' });
  stepComparison(draft, subject, true);
  if (state.probes.length <= MOST_PROBES) return;
  const gains = state.probes.map((probe) => gainOverLead(state, subjectOf(state, probe.candidateId)).mean);
  const worst = state.probes[gains.indexOf(Math.min(...gains))];
  const dropped = findSubject(state, worst?.candidateId ?? null);
  if (dropped) closeComparison(draft, dropped, `dropped: ${MOST_PROBES} more promising candidates are being re-run`);
}

/** Decides a comparison after new runs: moves the lead, drops the candidate, or requests one more run. */
export function stepComparison(draft: Draft, subject: Subject, first = false): void {
  const { state } = draft;
  const probe = state.probes.find(({ candidateId }) => candidateId === subject.candidateId);
  if (!probe) return;
  const { choice, gain } = decide(state, subject);
  const runs = subject.screen.n + subject.fresh.n;
  const summary =
    `expected gain over the lead ${formatVerdictGain(gain.mean)} ± ${formatVerdictNumber(Math.sqrt(gain.variance))} ` +
    `after ${runs} run${runs > 1 ? 's' : ''}`;
  if (choice === 'reject') closeComparison(draft, subject, summary);
  else if (choice === 'accept') moveLead(draft, subject, summary);
  else {
    probe.next = choice;
    if (first) confirm(draft, subject, `${summary}: worth another run`);
  }
}

/** Ends a comparison without moving the lead; the prior learns from it. */
export function closeComparison(draft: Draft, subject: Subject, reason: string): void {
  const { state } = draft;
  state.prior = updatePrior(state.prior, estimateCandidate(state, subject).weights);
  state.probes = state.probes.filter((probe) => probe.candidateId !== subject.candidateId);
  discard(draft, subject, reason);
}

function moveLead(draft: Draft, subject: Subject, summary: string): void {
  const { state } = draft;
  const { weights, value } = estimateCandidate(state, subject);
  state.prior = updatePrior(state.prior, weights);
  subject.belief = value;
  state.probes = state.probes.filter((probe) => probe.candidateId !== subject.candidateId);
  const old = subjectOf(state, state.leadId);
  const isUnclaimed =
    old.candidateId !== state.incumbentId && !state.races.some((race) => race.candidateId === old.candidateId);
  if (isUnclaimed) discard(draft, old, `no claim: the lead moved on to trial ${subject.ofTrial ?? 0}`);
  state.trail = [...state.trail, state.leadId].slice(-TRAIL);
  state.leadId = subject.candidateId;
  state.sinceMove = 0;
  confirm(draft, subject, `becomes the lead: ${summary}; a claim needs a race`);
}

/** Moves the lead from a candidate that can no longer be run: back to an earlier lead, or to the incumbent. */
export function giveUpLead(draft: Draft, subject: Subject, reason: string): void {
  const { state } = draft;
  discard(draft, subject, reason);
  state.trail = state.trail.filter((id) => id !== subject.candidateId);
  const [best] = [...state.trail, state.incumbentId]
    .map((id) => findSubject(state, id))
    .filter((candidate) => candidate !== undefined)
    .sort((a, b) => b.belief.mean - a.belief.mean);
  state.leadId = best?.candidateId ?? state.incumbentId;
  state.trail = state.trail.filter((id) => id !== state.leadId);
  state.sinceMove = 0;
}

/**
 * Moves the lead back to an earlier lead or an incumbent, if later runs have lowered its estimate below theirs. An
 * earlier one whose latest runs all failed does not become the lead again.
 */
export function fallBack(draft: Draft): void {
  const { state } = draft;
  const lead = subjectOf(state, state.leadId);
  const better = [...state.trail, isClaimByPerson(state) ? null : state.previousId, state.incumbentId]
    .map((id) => findSubject(state, id))
    .filter((candidate) => candidate !== undefined)
    .filter(({ candidateId, failures }) => candidateId === state.incumbentId || failures <= MOST_FAILURES)
    .filter(({ screen, fresh, belief }) => screen.n + fresh.n > 0 && belief.mean > lead.belief.mean)
    .sort((a, b) => b.belief.mean - a.belief.mean)[0];
  if (!better) return;
  const target = better.ofTrial === null ? 'the unmodified version' : `trial ${better.ofTrial}`;
  const isRacing = state.races.some((race) => race.candidateId === lead.candidateId);
  const estimate = formatVerdictNumber(lead.belief.mean * state.sign);
  if (lead.candidateId !== state.incumbentId && !isRacing)
    discard(
      draft,
      lead,
      `no longer the lead: after re-runs its estimate is ${estimate}, which is worse than that of ${target}`,
    );
  state.leadId = better.candidateId;
  state.sinceMove = 0;
  state.trail = state.trail.filter((id) => id !== better.candidateId);
}
