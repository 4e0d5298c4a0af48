import { updatePrior } from './prior.ts';
import { estimateCandidate } from './compare-with-lead.ts';
import { confirm, discard } from '../rule.ts';
import { findSubject, noiseSd, subjectOf } from '../subject.ts';
import type { Draft, GateState, Subject } from '../types.ts';
import { formatVerdictNumber, formatVerdictGain } from '../../text/format.ts';
import { sd } from '../../statistics/series.ts';
import { upperQuantile } from '../../statistics/student-t.ts';

/** Most candidates that wait for a race. */
const MOST_QUEUED = 24;

/** Screens a search result against the incumbent (search.parent best or original). The lead is only reported. */
export function screenResult(draft: Draft, subject: Subject): void {
  const { state } = draft;
  const { weights, value } = estimateCandidate(state, subject);
  state.prior = updatePrior(state.prior, weights);
  subject.belief = value;
  if (value.mean > subjectOf(state, state.leadId).belief.mean) state.leadId = subject.candidateId;
  const { passes, comparison } = screenAgainstIncumbent(draft, subject);
  if (!passes) {
    discard(draft, subject, `screened out: ${comparison}`);
    return;
  }
  state.queue.push(subject.candidateId);
  state.queue.sort((a, b) => subjectOf(state, b).screen.mean - subjectOf(state, a).screen.mean);
  confirm(draft, subject, `passes the screen: ${comparison}`);
  for (const id of state.queue.splice(MOST_QUEUED)) {
    discard(draft, subjectOf(state, id), `dropped: ${MOST_QUEUED} better results wait for a race`);
  }
}

/** Tests for a result above the incumbent's mean by more than one sd of its own mean, and by more than minDelta. */
export function screenAgainstIncumbent(draft: Draft, subject: Subject): { passes: boolean; comparison: string } {
  const { state, config } = draft;
  const incumbent = subjectOf(state, state.incumbentId);
  const bar = Math.max(noiseSd(state) / Math.sqrt(Math.max(1, subject.screen.n)), config.minDelta);
  const gain = subject.screen.mean - incumbent.fresh.mean;
  return {
    passes: gain > bar,
    comparison: `gain ${formatVerdictGain(gain)} over the incumbent, ${formatVerdictNumber(bar)} needed`,
  };
}

/** Fewest baseline runs by which a proposal is judged. */
const LEAST = 3;
/** Share of candidates equal to the baseline that are called plainly worse. */
const ERROR = 0.01;

/**
 * Reason why a result (oriented) is discarded before the baseline is complete; null if it must wait. The result is
 * worse than one more baseline run would be in 99 of 100 cases (prediction limit of a normal sample of n: mean −
 * t·sd·√(1 + 1/n)).
 */
export function plainlyWorse(state: GateState, value: number): string | null {
  const { calibrating, baselineId, sign } = state;
  const fresh = calibrating?.candidateId === baselineId ? findSubject(state, baselineId)?.fresh : undefined;
  if (!fresh || fresh.n < LEAST) return null;
  const spread = sd(fresh);
  if (spread === 0) return null;
  const limit = fresh.mean - upperQuantile(ERROR, fresh.n - 1) * spread * Math.sqrt(1 + 1 / fresh.n);
  if (value >= limit) return null;
  return (
    `plainly worse than the ${fresh.n} baseline runs so far: another baseline run would be ` +
    `${sign === 1 ? 'above' : 'below'} ${formatVerdictNumber(limit * sign)} in 99 of 100 cases`
  );
}
