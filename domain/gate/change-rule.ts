import { seriesOf } from '../statistics/series.ts';
import { openingBalance } from './race/account.ts';
import { NOBODY, runsToCalibrate } from './claim/calibrate.ts';
import { dropCandidate } from './claim/drop-candidate.ts';
import { discard } from './rule.ts';
import { ruleOnCandidate, ruleOnWaiting } from './search.ts';
import { drawConclusions } from './draw-conclusions.ts';
import { findSubject, isDeterministic, poolRuns, subjectOf } from './subject.ts';
import type { Advance, Draft, GateConfig, GateState } from './types.ts';
import { pruneSubjects, requestRuns } from './request-runs.ts';

export interface RuleChange {
  before: GateConfig;
  after: GateConfig;
  /** Candidates of requested runs that will not begin, one entry for each run. */
  withdrawn: readonly string[];
  /** Candidates with a value outside the new bounds of the metric; not the incumbent and not the baseline. */
  outside?: readonly string[];
}

/**
 * Moves a gate to other settings of the same metric. The incumbent stays. Open comparisons of the old rule are ruled on
 * by the new one, with all their runs. A claim by the strict rule is measured before the noise-gated rule builds on it.
 * The state passed in is not changed. The caller reads the raw best again, since the gate remembers only one.
 */
export function changeRule(state: GateState, { before, after, withdrawn, outside = [] }: RuleChange): Advance {
  const copy = JSON.parse(JSON.stringify(state)) as GateState;
  const draft: Draft = { config: after, state: copy, rulings: [], claimed: null };
  for (const id of withdrawn) {
    const index = copy.asked.findIndex((run) => run.candidateId === id);
    if (index >= 0) copy.asked.splice(index, 1);
  }
  for (const id of outside) dropOutside(draft, id);
  copy.account = Math.min(copy.account, after.falseKeepsPer200);
  const open = closeComparisons(copy, before, after);
  if (before.policy === 'strict' && after.policy === 'noise-gated') doubtClaim(draft);
  else if (before.policy === 'noise-gated' && after.policy === 'strict') believeClaim(draft);
  if (copy.calibrating) copy.calibrating.need = runsToCalibrate(after);
  for (const id of open) {
    const subject = findSubject(copy, id);
    if (!subject) continue;
    poolRuns(subject);
    if (subject.screen.n > 0) ruleOnCandidate(draft, subject);
  }
  drawConclusions(draft);
  const wanted = requestRuns(draft);
  pruneSubjects(copy);
  return { state: copy, rulings: draft.rulings, wanted, claimed: draft.claimed };
}

/** Removes a candidate whose values the metric no longer allows. */
function dropOutside(draft: Draft, candidateId: string): void {
  const { state } = draft;
  const subject = findSubject(state, candidateId);
  if (subject) discard(draft, subject, 'its value lies outside the new bounds of the metric');
  dropCandidate(state, candidateId);
  if (state.previousId === candidateId) state.previousId = null;
  state.subjects = state.subjects.filter((other) => other.candidateId !== candidateId);
}

/** Removes comparisons that only the old rule makes; returns their candidates, in the order in which they began. */
function closeComparisons(state: GateState, before: GateConfig, after: GateConfig): string[] {
  if (before.policy === 'strict') return [];
  const toStrict = after.policy === 'strict';
  const open: string[] = [];
  if (toStrict || before.followsLead !== after.followsLead) {
    open.push(...state.probes.map(({ candidateId }) => candidateId), ...state.queue);
    if (before.followsLead) open.push(state.leadId);
    Object.assign(state, { probes: [], queue: [], trail: [], leadId: state.incumbentId });
  }
  // Other rules keep open races, since their error probability is already reserved.
  if (toStrict) {
    open.push(...[...state.races, ...(state.exactClaims ?? [])].map(({ candidateId }) => candidateId));
    Object.assign(state, { races: [], exactClaims: [] });
  }
  const stay = [state.incumbentId, state.baselineId, ...state.races.map(({ candidateId }) => candidateId)];
  return [...new Set(open)].filter((id) => !stay.includes(id));
}

/**
 * Prepares a claim of the strict rule, which was selected for a high value, for the noise-gated rule: it is run again,
 * as often as a baseline, and these runs set the noise floor. The unmodified version may take the claim back.
 */
function doubtClaim({ config, state }: Draft): void {
  const { incumbentId, baselineId } = state;
  const base = findSubject(state, baselineId);
  const isBase = incumbentId === baselineId;
  Object.assign(state, {
    previousId: isBase || !base || base.fresh.n === 0 ? null : baselineId,
    trail: [],
    leadId: incumbentId,
    account: Math.min(state.account, openingBalance(config)),
  });
  if (state.calibrating?.candidateId === NOBODY) return;
  const need = runsToCalibrate(config);
  // Identical runs prove that nothing varies only if they are as many as a baseline has.
  if ((base?.fresh.n ?? 0) >= need && (isBase || isDeterministic(state))) return;
  const subject = subjectOf(state, incumbentId);
  if (!isBase) {
    poolRuns(subject);
    subject.belief = { mean: subject.screen.mean, variance: 0 };
  }
  state.calibrating = { candidateId: incumbentId, need };
}

/** Lets the strict rule accept the incumbent with the runs it has: its search run if its measurement just began. */
function believeClaim(draft: Draft): void {
  const { state } = draft;
  const { calibrating, incumbentId, baselineId } = state;
  if (calibrating?.candidateId !== incumbentId || incumbentId === baselineId) return;
  const subject = subjectOf(state, incumbentId);
  if (subject.fresh.n === 0 && subject.screen.n > 0) {
    subject.values = [subject.screen.mean];
    subject.fresh = seriesOf(subject.values);
  }
  if (subject.fresh.n === 0) return;
  state.calibrating = null;
  ruleOnWaiting(draft);
}
