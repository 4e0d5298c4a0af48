import type { Node, Tree } from '../../../api/tree.ts';

/** A candidate of the tree with its place among those that are shown. */
export interface ForestNode {
  node: Node;
  parent: string | null;
  children: string[];
}

export interface Forest {
  byId: ReadonlyMap<string, ForestNode>;
  /** Those without a parent among the shown ones. */
  roots: readonly string[];
}

/**
 * The tree as it was read first, grown by what a person unfolded. What is folded below a candidate is as the answer says that
 * folds least of it.
 */
export function forestOf(trees: readonly Tree[]): Forest {
  const nodes = new Map<string, Node>();
  for (const { nodes: read } of trees)
    for (const node of read) {
      const known = nodes.get(node.candidateId);
      nodes.set(node.candidateId, known && known.hidden < node.hidden ? { ...node, hidden: known.hidden } : node);
    }
  const byId = new Map<string, ForestNode>();
  for (const node of nodes.values()) {
    const parent = node.parentId !== null && nodes.has(node.parentId) ? node.parentId : null;
    byId.set(node.candidateId, { node, parent, children: [] });
  }
  const roots: string[] = [];
  for (const [id, { parent }] of byId) {
    if (parent === null) roots.push(id);
    else byId.get(parent)?.children.push(id);
  }
  return { byId, roots };
}

/** Candidates that are folded away, over the whole forest. */
export const foldedIn = ({ byId }: Forest): number =>
  [...byId.values()].reduce((sum, { node }) => sum + node.hidden, 0);
