import { openingBalance } from './account.ts';
import { NOBODY, runsToCalibrate } from './calibrate.ts';
import { judge } from './search.ts';
import { settle } from './settle.ts';
import { findSubject, isDeterministic, subjectOf } from './subject.ts';
import type { Advance, Draft, GateConfig, GateState } from './types.ts';
import { forget, wantMore } from './wants.ts';

export interface RuleChange {
  before: GateConfig;
  after: GateConfig;
  /** Candidates whose runs were asked for and will not begin, one entry a run. */
  withdrawn: readonly string[];
}

/**
 * Takes a gate over to other settings of the same metric. The incumbent stays; what was being compared under a rule that
 * no longer holds is ruled on by the new one, with the runs it has; a claim by the strict rule is measured before the
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
  if (own.calibrating) own.calibrating.need = needOf(own, after);
  for (const id of open) {
    const subject = findSubject(own, id);
    if (subject) judge(draft, subject);
  }
  settle(draft);
  const wants = wantMore(draft);
  forget(own);
  return { state: own, rulings: draft.rulings, wants, claimed: draft.claimed };
}

/** Takes out what only the old rule compared; returns its candidates, in the order in which it began. */
function closeComparisons(state: GateState, before: GateConfig, after: GateConfig): string[] {
  if (before.policy === 'strict') return [];
  const toStrict = after.policy === 'strict';
  const open: string[] = [];
  if (toStrict || (before.parent === 'lead') !== (after.parent === 'lead')) {
    open.push(...state.probes.map(({ candidateId }) => candidateId), ...state.queue);
    if (before.parent === 'lead') open.push(state.leadId);
    Object.assign(state, { probes: [], queue: [], trail: [], leadId: state.incumbentId });
  }
  // A race has set its error probability aside: only the strict rule has no use for it.
  if (toStrict) {
    open.push(...state.races.map(({ candidateId }) => candidateId));
    state.races = [];
  }
  const racing = state.races.map(({ candidateId }) => candidateId);
  return [...new Set(open)].filter((id) => id !== state.incumbentId && !racing.includes(id));
}

/** What the strict rule kept was chosen for being high: as many new runs as a baseline has set the noise floor. */
function doubtClaim({ config, state }: Draft): void {
  Object.assign(state, { previousId: null, trail: [], leadId: state.incumbentId, account: openingBalance(config) });
  if (state.calibrating || isDeterministic(state)) return;
  const runs = runsToCalibrate(config);
  const { fresh, candidateId } = subjectOf(state, state.incumbentId);
  if (candidateId === state.baselineId && fresh.n >= runs) return;
  const chosen = candidateId === state.baselineId ? 0 : fresh.n;
  state.calibrating = { candidateId, need: chosen + runs };
}

/** Runs after which a calibration under way is complete by the new settings. */
function needOf(state: GateState, after: GateConfig): number {
  const { candidateId, need } = state.calibrating ?? { candidateId: NOBODY, need: 0 };
  const runs = runsToCalibrate(after);
  const isChosen = candidateId !== NOBODY && candidateId !== state.baselineId;
  return isChosen ? need : runs;
}
