import { createRandom } from '../../statistics/random.ts';
import { asSettings } from '../../method/axis.ts';
import type { ParentRule, SearchPoints } from '../parent.ts';
import { parentRuleOf } from './table.ts';
import { NO_TREE } from './tree.ts';

/**
 * The candidate from which a person's own change starts: the parent rule's choice, or the incumbent if the rule needs
 * the tree. `stored` is the research's parent rule. Throws UnknownMethod for a rule that this build does not have.
 */
export function startingPoint(stored: unknown, points: SearchPoints): string {
  const { method, settings } = parentRuleOf(stored);
  const rule: ParentRule = method;
  if (rule.reads === 'lineage') return points.incumbent;
  const input = { settings: asSettings(settings), random: createRandom(0) };
  return rule.choose({ ...points, tree: NO_TREE }, input)?.candidateId ?? points.incumbent;
}
