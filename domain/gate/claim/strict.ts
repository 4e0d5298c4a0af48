import { makeIncumbent } from './claim.ts';
import { isDeterministic, subjectOf } from '../subject.ts';
import type { Draft, Subject } from '../types.ts';
import { show, signed } from '../../text/format.ts';

/** Keeps what is better than the best by more than minDelta. Also the rule of noise-gated where nothing is noisy. */
export function judgeStrict(draft: Draft, subject: Subject): void {
  const { state, config } = draft;
  const best = subjectOf(state, state.incumbentId).fresh.mean;
  const gain = subject.screen.mean - best;
  const why = isDeterministic(state) ? ' (deterministic: runs agree to the last bit, noise sd 0, strict rule)' : '';
  const words = `${show(subject.screen.mean * state.sign)} against ${show(best * state.sign)}, gain ${signed(gain)}`;
  const n = subject.ofTrial ?? 0;
  if (!(gain > config.minDelta)) {
    const least = config.minDelta > 0 ? `, minDelta ${show(config.minDelta)}` : '';
    draft.rulings.push({ n, verdict: 'discard', reason: `not better: ${words}${least}${why}` });
    return;
  }
  draft.rulings.push({ n, verdict: 'keep', reason: `better: ${words}${why}` });
  subject.belief = { mean: subject.screen.mean, variance: 0 };
  makeIncumbent(
    draft,
    subject,
    Array.from({ length: subject.screen.n }, () => subject.screen.mean),
  );
  state.leadId = subject.candidateId;
}
