import type { Node } from '../../../api/tree.ts';
import type { Outcome } from '../../../api/outcomes.ts';
import type { TrialStatus } from '../../../../domain/trial.ts';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';

/** The outcome of a candidate's first trial; null while that is under way or before there is one. */
export const outcomeOfNode = ({ status, verdict }: Pick<Node, 'status' | 'verdict'>): Outcome | null =>
  outcomeOf({ status: status as TrialStatus | null, verdict });

/** A candidate's name for a person: the number of the trial that made it. */
export const nodeName = ({ n, role }: Pick<Node, 'n' | 'role'>): string =>
  role === 'baseline' ? 'baseline' : n === null ? 'not run yet' : `#${n}`;

/** Its part in the search, in a word; null for most. */
export const roleLabel = ({ role }: Pick<Node, 'role'>): string | null =>
  ({ baseline: 'baseline', best: 'best', lead: 'lead', none: null })[role];
