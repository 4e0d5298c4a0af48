import { updatePrior } from './prior.ts';
import { estimateCandidate } from './compare-with-lead.ts';
import { confirm, discard } from '../rule.ts';
import { findSubject, noiseSd, subjectOf } from '../subject.ts';
import type { Draft, GateState, Subject } from '../types.ts';
import { formatVerdictNumber, formatVerdictGain } from '../../text/format.ts';
import { sd } from '../../statistics/series.ts';
import { upperQuantile } from '../../statistics/student-t.ts';

/** Candidates that wait for a race. */
const MOST_QUEUED = 24;

/** Screens a search result against the incumbent (parents from best or original); the lead only reports. */
export function screenResult(draft: Draft, subject: Subject): void {
  const { state } = draft;
  const { weights, value } = estimateCandidate(state, subject);
  state.prior = updatePrior(state.prior, weights);
  subject.belief = value;
  if (value.mean > subjectOf(state, state.leadId).belief.mean) state.leadId = subject.candidateId;
  const { passes, words } = screenAgainstIncumbent(draft, subject);
  if (!passes) {
    discard(draft, subject, `screened out: ${words}`);
    return;
  }
  state.queue.push(subject.candidateId);
  state.queue.sort((a, b) => subjectOf(state, b).screen.mean - subjectOf(state, a).screen.mean);
  confirm(draft, subject, `passes the screen: ${words}`);
  for (const id of state.queue.splice(MOST_QUEUED)) {
    discard(draft, subjectOf(state, id), `dropped: ${MOST_QUEUED} better results wait for a race`);
  }
}

/** Whether a result is one sd of what it was measured by above the incumbent's mean. */
export function screenAgainstIncumbent(draft: Draft, subject: Subject): { passes: boolean; words: string } {
  const { state, config } = draft;
  const incumbent = subjectOf(state, state.incumbentId);
  const bar = Math.max(noiseSd(state) / Math.sqrt(Math.max(1, subject.screen.n)), config.minDelta);
  const gain = subject.screen.mean - incumbent.fresh.mean;
  return {
    passes: gain > bar,
    words: `gain ${formatVerdictGain(gain)} over the incumbent in one look, ${formatVerdictNumber(bar)} needed`,
  };
}

/** Baseline runs before which nothing is said of a proposal. */
const LEAST = 3;
/** Share of the candidates no better and no worse than the baseline that are called plainly worse. */
const ERROR = 0.01;

/**
 * Why a result (oriented) is out although the baseline is not complete, in words; null where that has to be awaited. It
 * is below what one more baseline run would give in 99 of 100 cases (prediction limit of a normal sample of n: mean − t·sd·√(1 + 1/n)).
 */
export function plainlyWorse(state: GateState, value: number): string | null {
  const { calibrating, baselineId, sign } = state;
  const fresh = calibrating?.candidateId === baselineId ? findSubject(state, baselineId)?.fresh : undefined;
  if (!fresh || fresh.n < LEAST) return null;
  const spread = sd(fresh);
  if (spread === 0) return null;
  const limit = fresh.mean - upperQuantile(ERROR, fresh.n - 1) * spread * Math.sqrt(1 + 1 / fresh.n);
  if (value >= limit) return null;
  return `plainly worse than the ${fresh.n} baseline runs so far: one more of them would be ${sign === 1 ? 'above' : 'below'} ${formatVerdictNumber(limit * sign)} in 99 of 100 cases`;
}
