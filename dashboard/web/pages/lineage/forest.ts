import type { Node, Tree } from '../../../api/tree.ts';

/** A shown candidate with its shown parent and children. */
export interface ForestNode {
  node: Node;
  parent: string | null;
  children: string[];
}

export interface Forest {
  byId: ReadonlyMap<string, ForestNode>;
  /** Candidates without a shown parent. */
  roots: readonly string[];
}

/**
 * Merges the tree with the parts that a person unfolded. If several answers have a candidate, the forest takes the
 * smallest count of hidden candidates below it.
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

/** Number of hidden candidates, over the whole forest. */
export const foldedIn = ({ byId }: Forest): number =>
  [...byId.values()].reduce((sum, { node }) => sum + node.hidden, 0);
