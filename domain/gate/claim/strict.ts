import { plural } from '../../text/plural.ts';
import { formatVerdictGain, formatVerdictNumber } from '../../text/format.ts';
import { subjectOf } from '../subject.ts';
import type { Draft, Subject } from '../types.ts';
import { makeIncumbent } from './claim.ts';

/** Compares a mean (oriented) with the incumbent's; `isBetter`: by more than minDelta. */
export function compareWithIncumbent(
  { state, config }: Draft,
  mean: number,
): { isBetter: boolean; comparison: string; least: string } {
  const best = subjectOf(state, state.incumbentId).fresh.mean;
  const gain = mean - best;
  const [shown, shownBest] = [mean, best].map((value) => formatVerdictNumber(value * state.sign));
  return {
    isBetter: gain > config.minDelta,
    comparison: `${shown} against ${shownBest}, gain ${formatVerdictGain(gain)}`,
    least: config.minDelta > 0 ? `, minDelta ${formatVerdictNumber(config.minDelta)}` : '',
  };
}

/** The number of runs on which the strict rule claims, as a clause. */
export const strictBasis = (runs: number): string =>
  runs > 1
    ? `keep.policy: strict claims on the mean of ${plural(runs, 'run')}`
    : 'keep.policy: strict claims on one run';

/** Keeps a candidate that is better than the incumbent by more than minDelta, at once. */
export function judgeStrict(draft: Draft, subject: Subject): void {
  const { mean, n: runs } = subject.screen;
  const { isBetter, comparison, least } = compareWithIncumbent(draft, mean);
  const n = subject.ofTrial ?? 0;
  if (!isBetter) {
    draft.rulings.push({ n, verdict: 'discard', reason: `not better: ${comparison}${least}` });
    return;
  }
  draft.rulings.push({ n, verdict: 'keep', reason: `better: ${comparison}; ${strictBasis(runs)}` });
  subject.belief = { mean, variance: 0 };
  makeIncumbent(
    draft,
    subject,
    Array.from({ length: runs }, () => mean),
  );
  draft.state.leadId = subject.candidateId;
}
