import { addValue, EMPTY_SERIES, seriesOf } from '../statistics/series.ts';
import { openingBalance } from './race/account.ts';
import { NOBODY, runsToCalibrate } from './claim/calibrate.ts';
import { ruleOnCandidate, ruleOnWaiting } from './search.ts';
import { drawConclusions } from './draw-conclusions.ts';
import { findSubject, isDeterministic, subjectOf } from './subject.ts';
import type { Advance, Draft, GateConfig, GateState, Subject } from './types.ts';
import { pruneSubjects, requestRuns } from './request-runs.ts';

export interface RuleChange {
  before: GateConfig;
  after: GateConfig;
  /** Candidates whose runs were asked for and will not begin, one entry a run. */
  withdrawn: readonly string[];
}

/**
 * Takes a gate over to other settings of the same metric. The incumbent stays; what was being compared under a rule that
 * no longer holds is ruled on by the new one, with all the runs it has; a claim by the strict rule is measured before the
 * noise-gated rule builds on it. The state passed in is not changed.
 */
export function changeRule(state: GateState, { before, after, withdrawn }: RuleChange): Advance {
  const own = JSON.parse(JSON.stringify(state)) as GateState;
  const draft: Draft = { config: after, state: own, rulings: [], claimed: null };
  for (const id of withdrawn) {
    const asked = own.asked.findIndex((run) => run.candidateId === id);
    if (asked >= 0) own.asked.splice(asked, 1);
  }
  own.account = Math.min(own.account, after.falseKeepsPer200);
  const open = closeComparisons(own, before, after);
  if (before.policy === 'strict' && after.policy === 'noise-gated') doubtClaim(draft);
  else if (before.policy === 'noise-gated' && after.policy === 'strict') believeClaim(draft);
  if (own.calibrating) own.calibrating.need = runsToCalibrate(after);
  for (const id of open) {
    const subject = findSubject(own, id);
    if (subject && pool(subject)) ruleOnCandidate(draft, subject);
  }
  drawConclusions(draft);
  const wants = requestRuns(draft);
  pruneSubjects(own);
  return { state: own, rulings: draft.rulings, wants, claimed: draft.claimed };
}

/** Takes out what only the old rule compared; returns its candidates, in the order in which it began. */
function closeComparisons(state: GateState, before: GateConfig, after: GateConfig): string[] {
  if (before.policy === 'strict') return [];
  const toStrict = after.policy === 'strict';
  const open: string[] = [];
  if (toStrict || before.followsLead !== after.followsLead) {
    open.push(...state.probes.map(({ candidateId }) => candidateId), ...state.queue);
    if (before.followsLead) open.push(state.leadId);
    Object.assign(state, { probes: [], queue: [], trail: [], leadId: state.incumbentId });
  }
  // A race has set its error probability aside: only the strict rule has no use for it.
  if (toStrict) {
    open.push(...state.races.map(({ candidateId }) => candidateId));
    state.races = [];
  }
  const stay = [state.incumbentId, state.baselineId, ...state.races.map(({ candidateId }) => candidateId)];
  return [...new Set(open)].filter((id) => !stay.includes(id));
}

/** All runs of a candidate as the ones that it is judged by; false where it has none. */
function pool(subject: Subject): boolean {
  subject.screen = subject.values.reduce(addValue, subject.screen);
  Object.assign(subject, { fresh: EMPTY_SERIES, values: [] });
  return subject.screen.n > 0;
}

/**
 * What the strict rule kept was chosen for being high: it is run as often as a baseline, all anew, and that sets the noise
 * floor. The unmodified version may take the claim back.
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
  // Agreement of fewer runs than a baseline has is no proof that nothing varies.
  if ((base?.fresh.n ?? 0) >= need && (isBase || isDeterministic(state))) return;
  const subject = subjectOf(state, incumbentId);
  if (!isBase) {
    pool(subject);
    subject.belief = { mean: subject.screen.mean, variance: 0 };
  }
  state.calibrating = { candidateId: incumbentId, need };
}

/** The strict rule takes the incumbent at the runs that it has: its search run, where a measurement had just begun. */
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
