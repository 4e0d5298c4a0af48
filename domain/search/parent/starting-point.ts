import { createRandom } from '../../statistics/random.ts';
import { asSettings } from '../../method/axis.ts';
import type { LineageView, ParentRule } from '../parent.ts';
import { parentRuleOf } from './table.ts';

/**
 * The candidate that a person's own change starts from: the rule's where it needs no tree, else the incumbent. `stored` is
 * the research's choice on the axis; throws UnknownMethod for one that this build does not have.
 */
export function startingPoint(stored: unknown, points: Omit<LineageView, 'nodes'>): string {
  const { method, settings } = parentRuleOf(stored);
  const rule: ParentRule = method;
  if (rule.reads === 'lineage') return points.incumbent;
  return rule.choose({ ...points, nodes: [] }, { settings: asSettings(settings), random: createRandom(0) }).candidateId;
}
