import type { Claim } from '../../../api/research.ts';
import type { Node, Tree } from '../../../api/tree.ts';

/** A step of the way from the baseline to the best: what one change brought. */
export interface Step {
  node: Node;
  /** Against the step before, and against the baseline; better is positive. Null where either has no value. */
  gain: number | null;
  total: number | null;
  /** It was claimed then, as the gate promises. */
  claim: Claim | null;
}

interface Given {
  tree: Tree;
  claims: readonly Claim[];
  direction: 'minimize' | 'maximize';
  /** Without the steps that were never claimed; the first and the last one stay. */
  claimed?: boolean;
}

/** The steps in order, the baseline first. */
export function stepsOf({ tree, claims, direction, claimed = false }: Given): Step[] {
  const nodes = new Map(tree.nodes.map((node) => [node.candidateId, node]));
  const whole = tree.path.flatMap((id) => nodes.get(id) ?? []);
  const claimOf = (id: string) => claims.findLast(({ candidateId }) => candidateId === id) ?? null;
  const path = whole.filter(
    ({ candidateId }, index) => !claimed || index === 0 || index === whole.length - 1 || claimOf(candidateId) !== null,
  );
  const sign = direction === 'minimize' ? -1 : 1;
  const better = (value: number | null, than: number | null): number | null =>
    value === null || than === null ? null : sign * (value - than);
  const first = path[0]?.value ?? null;
  return path.map((node, index) => ({
    node,
    gain: index === 0 ? null : better(node.value, path[index - 1]?.value ?? null),
    total: index === 0 ? null : better(node.value, first),
    claim: claimOf(node.candidateId),
  }));
}
