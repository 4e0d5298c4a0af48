import { type Chosen, methodOf } from '../../method/axis.ts';
import type { ParentRule } from '../parent.ts';
import { best } from './best.ts';
import { islands } from './islands.ts';
import { lead } from './lead.ts';
import { mapElites } from './map-elites.ts';
import { original } from './original.ts';
import { puct } from './puct.ts';
import { topK } from './top-k.ts';

/** Every parent rule. A new rule needs a file and a line here. */
export const PARENTS = {
  original,
  lead,
  best,
  'top-k': topK,
  puct,
  islands,
  'map-elites': mapElites,
} as const satisfies Record<string, ParentRule>;

/** Looks up a stored parent rule. Throws UnknownMethod for a rule that this build does not have. */
export const parentRuleOf = (stored: unknown): Chosen<typeof PARENTS> => methodOf('search.parent', PARENTS, stored);

/** True if a stored parent rule reads the tree, so that a research keeps one. */
export const readsTree = (stored: unknown): boolean => {
  const { method }: { method: ParentRule } = parentRuleOf(stored);
  return method.reads === 'lineage';
};
