import { asSettings, type Choice } from '../../domain/method/axis.ts';
import { buildTree, type TreeTrial } from '../../domain/search/parent/build-tree.ts';
import type { ParentRule } from '../../domain/search/parent.ts';
import { type PARENTS, parentRuleOf } from '../../domain/search/parent/table.ts';
import { NO_TREE, type TreeNode, type TreeView } from '../../domain/search/parent/tree.ts';
import { createRandom } from '../../domain/statistics/random.ts';
import { hashToSeed } from '../../domain/trial/seed.ts';
import type { Candidate, Measured } from './observed.ts';

export type ParentChoice = Choice<typeof PARENTS>;

interface Input {
  parent: ParentChoice;
  /** In the order of their outcomes, the original first. */
  measured: readonly Measured[];
  inFlight: readonly Candidate[];
  /** Key of the trial's seeds. */
  key: string;
}

/** The parent that a rule of the product chooses. With one run for each candidate the best observed one is the lead. */
export function parentOf({ parent, measured, inFlight, key }: Input): Candidate {
  const { name, method, settings } = parentRuleOf(parent);
  const rule: ParentRule = method;
  if (rule.niches)
    throw new Error(`expected a rule without islands or cells, which this bench does not keep; got ${name}`);
  const [original, ...others] = measured;
  if (original === undefined) throw new Error('expected the original among the measured candidates, found none');
  const best = others.reduce((a, b) => (b.value < a.value ? b : a), original);
  const points = { direction: 'minimize' as const, original: original.id, incumbent: best.id, lead: best.id };
  const tree = rule.reads === 'lineage' ? treeOf(original, { measured, inFlight }) : NO_TREE;
  const random = createRandom(hashToSeed(`${key}/parent`));
  const chosen = rule.choose({ ...points, tree }, { settings: asSettings(settings), random });
  const found = measured.find(({ id }) => id === chosen?.candidateId);
  if (found === undefined) throw new Error(`expected a measured candidate as the parent, got ${chosen?.candidateId}`);
  return found;
}

/** The whole tree, as the product keeps it (db/tree). */
function treeOf(original: Candidate, { measured, inFlight }: Pick<Input, 'measured' | 'inFlight'>): TreeView {
  const trialOf = (one: Candidate, value: number | null): TreeTrial => ({
    kind: one.parent === null ? 'baseline' : 'search',
    candidateId: one.id,
    parentId: one.parent,
    isOpen: value === null,
    value,
  });
  const nodes = buildTree(original.id, [
    ...measured.map((one) => trialOf(one, -one.value)),
    ...inFlight.map((one) => trialOf(one, null)),
  ]);
  const sorted = (valueOf: (node: TreeNode) => number | null): TreeNode[] =>
    nodes.toSorted((a, b) => (valueOf(b) ?? -Infinity) - (valueOf(a) ?? -Infinity) || a.seq - b.seq);
  return {
    scored: nodes.length,
    visits: nodes[0]?.visits ?? 0,
    lowest: Math.min(...nodes.map(({ value }) => value ?? Infinity)),
    byValue: sorted(({ value }) => value),
    byBest: sorted(({ best }) => best),
    niches: [],
  };
}
