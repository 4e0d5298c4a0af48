import { meanWith } from '../observations.ts';
import type { Placing } from './niche.ts';
import type { TreeNode } from './tree.ts';

/** A trial under the metric of a research's task. */
export interface TreeTrial {
  kind: string;
  candidateId: string | null;
  parentId: string | null;
  isOpen: boolean;
  /** Score that can be compared with others; larger is better. */
  value: number | null;
  /** Niche that its parent was chosen for. */
  niche?: string | null;
  /** Numbers of the evaluator; only for a rule that reads them. */
  metrics?: Readonly<Record<string, number>> | null;
}

/** The niche of a candidate at its first score. */
export type PlaceNode = (input: Omit<Placing, 'knobs'> & { candidateId: string }) => string | null;

/** A node with the columns that no rule reads. */
export interface StoredNode extends TreeNode {
  parentId: string | null;
  niche: string | null;
}

/**
 * Builds the tree of a research from its trials, which are in the order of their ends. The parent of a candidate is the
 * one of its first scored run if that is a node already, otherwise the original. So the tree has one root and no
 * circle, and its nodes come after their parents.
 */
export function buildTree(original: string, trials: Iterable<TreeTrial>, place: PlaceNode = () => null): StoredNode[] {
  const nodes = new Map<string, StoredNode>([[original, newNode({ candidateId: original, seq: 0, parent: null })]]);
  const begun: TreeTrial[] = [];
  for (const trial of trials) {
    const { kind, candidateId, parentId, value } = trial;
    if (kind === 'search' && parentId !== null) begun.push(trial);
    if (candidateId === null || value === null) continue;
    const parent = nodes.get(parentId ?? original) ?? nodes.get(original) ?? null;
    const node = nodes.get(candidateId) ?? newNode({ candidateId, seq: nodes.size, parent });
    nodes.set(candidateId, node);
    if (node.runs === 0)
      node.niche = place({
        candidateId,
        isOriginal: candidateId === original,
        seq: node.seq,
        parentNiche: nodes.get(node.parentId ?? '')?.niche ?? null,
        chosenNiche: trial.niche ?? null,
        metrics: trial.metrics ?? {},
      });
    node.value = meanWith(node, value);
    node.runs += 1;
  }
  for (const { parentId, isOpen } of begun) {
    const parent = nodes.get(parentId ?? '');
    if (parent === undefined) continue;
    parent.visits += 1;
    parent.inFlight += isOpen ? 1 : 0;
  }
  const all = [...nodes.values()];
  for (const node of all.toReversed()) {
    node.best = larger(node.value, node.below);
    const parent = nodes.get(node.parentId ?? '');
    if (parent === undefined) continue;
    parent.below = larger(parent.below, node.best);
    parent.visits += node.visits;
  }
  return all;
}

const larger = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

const newNode = ({
  candidateId,
  seq,
  parent,
}: Pick<TreeNode, 'candidateId' | 'seq'> & { parent: StoredNode | null }): StoredNode => ({
  candidateId,
  seq,
  parentId: parent?.candidateId ?? null,
  depth: parent === null ? 0 : parent.depth + 1,
  niche: null,
  value: null,
  runs: 0,
  below: null,
  best: null,
  visits: 0,
  inFlight: 0,
});
