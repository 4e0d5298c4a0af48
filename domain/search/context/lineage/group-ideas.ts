import { IDEA_OUTCOMES, type IdeaGroup, type IdeaOutcome } from '../../../prompt/search-facts.ts';
import type { ShownVerdict, TrialStatus } from '../../../trial.ts';

/** An ended trial with the mean of the files that it was made from. */
export interface TriedIdea {
  n: number;
  hypothesis: string;
  status: TrialStatus;
  verdict: ShownVerdict;
  value: number | null;
  parentValue: number | null;
}

/** Direction of the metric, and the difference below which two values count as equal. */
export interface Comparison {
  sign: 1 | -1;
  noise: number;
}

/** Ideas that a group keeps. */
const KEPT = 8;

/** Groups trials by outcome, in the order of `IDEA_OUTCOMES`. Trials that say nothing about their idea are left out. */
export function groupIdeas(tried: readonly TriedIdea[], comparison: Comparison): IdeaGroup[] {
  const groups = new Map<IdeaOutcome, TriedIdea[]>();
  for (const one of tried.toSorted((a, b) => b.n - a.n)) {
    const outcome = outcomeOf(one, comparison);
    if (outcome !== null) groups.set(outcome, [...(groups.get(outcome) ?? []), one]);
  }
  return IDEA_OUTCOMES.flatMap((outcome) => {
    const trials = groups.get(outcome) ?? [];
    if (trials.length === 0) return [];
    const ideas = trials.slice(0, KEPT).map(({ n, hypothesis }) => ({ n, hypothesis }));
    return [{ outcome, trials: trials.length, ideas }];
  });
}

function outcomeOf({ status, verdict, value, parentValue }: TriedIdea, comparison: Comparison): IdeaOutcome | null {
  if (status === 'cached' || status === 'lost') return null;
  if (status === 'aborted') return 'stopped';
  if (status !== 'completed') return 'failed';
  if (verdict === 'keep') return 'confirmed';
  if (value === null || parentValue === null) return 'unmeasured';
  return compare(value, parentValue, comparison);
}

/** A value against another one: better or worse only if they differ by more than the noise. */
export function compare(value: number, against: number, { sign, noise }: Comparison): 'better' | 'equal' | 'worse' {
  const gain = sign * (value - against);
  if (Math.abs(gain) <= noise) return 'equal';
  return gain > 0 ? 'better' : 'worse';
}
