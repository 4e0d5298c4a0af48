import type { Node } from '../../../api/tree.ts';
import type { Outcome } from '../../../api/outcomes.ts';
import type { TrialStatus } from '../../../../domain/trial.ts';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';

/** Outcome of a candidate's first trial; null if there is no trial yet, or the trial is under way. */
export const outcomeOfNode = ({ status, verdict }: Pick<Node, 'status' | 'verdict'>): Outcome | null =>
  outcomeOf({ status: status as TrialStatus | null, verdict });

/** Name of a candidate for a person: the number of the trial that made it. */
export function nodeName({ n, role }: Pick<Node, 'n' | 'role'>): string {
  if (role === 'baseline') return 'baseline';
  return n === null ? 'not run yet' : `#${n}`;
}

/** Label of a candidate's role in the search; null if it has none. */
export const roleLabel = ({ role }: Pick<Node, 'role'>): string | null =>
  ({ baseline: 'baseline', best: 'best', lead: 'lead', none: null })[role];
