import type { ChildrenVerdict, Stalls } from '../../../prompt/search-facts.ts';
import type { TrialStatus } from '../../../trial.ts';
import { compare, type Comparison } from './group-ideas.ts';

/** An ended trial from the parent. */
export interface Child {
  status: TrialStatus;
  value: number | null;
}

export interface SearchState {
  /** Trials that ran since the best one, or since the start. */
  sinceBest: number;
  /** Number of the best trial; null: none beats the original. */
  best: number | null;
  /** Last ended trials from the parent. */
  children: readonly Child[];
  /** Mean of the parent's runs; null: not measured. */
  parentValue: number | null;
}

/** Finds out if the search goes in circles. `stuck` and `saturation` are settings of the context; 0: never. */
export function findStalls(
  { sinceBest, best, children, parentValue }: SearchState,
  { stuck, saturation, ...comparison }: Comparison & { stuck: number; saturation: number },
): Stalls {
  const isStuck = stuck > 0 && sinceBest >= stuck;
  const verdict =
    saturation === 0 || children.length < saturation || parentValue === null
      ? null
      : verdictOn(children, { ...comparison, parentValue });
  return {
    withoutBest: isStuck ? { trials: sinceBest, since: best } : null,
    children: verdict === null ? null : { trials: children.length, verdict },
  };
}

/** Null if a child is better, or if a person or a rule stopped one, since its result is unknown. */
function verdictOn(
  children: readonly Child[],
  { parentValue, ...comparison }: Comparison & { parentValue: number },
): ChildrenVerdict | null {
  const found = children.map(({ status, value }) => {
    if (status === 'completed' && value !== null) return compare(value, parentValue, comparison);
    return status === 'aborted' ? 'better' : 'failed';
  });
  if (found.includes('better')) return null;
  const [first] = found;
  return first !== undefined && first !== 'better' && found.every((one) => one === first) ? first : 'no better';
}
