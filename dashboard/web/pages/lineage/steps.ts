import type { Claim } from '../../../api/research.ts';
import type { Node, Tree } from '../../../api/tree.ts';

/** A step on the path from the baseline to the best: a candidate and its gain. */
export interface Step {
  node: Node;
  /** Gain over the previous step; positive is better. Null if either candidate has no value. */
  gain: number | null;
  /** Gain over the baseline; positive is better. Null if either candidate has no value. */
  total: number | null;
  /** The candidate's last claim; null if it was never claimed. */
  claim: Claim | null;
}

interface StepsInput {
  tree: Tree;
  claims: readonly Claim[];
  direction: 'minimize' | 'maximize';
  /** True: only steps that were claimed, and the first and the last one. */
  claimed?: boolean;
}

/** The steps in order, the baseline first. */
export function stepsOf({ tree, claims, direction, claimed = false }: StepsInput): Step[] {
  const nodes = new Map(tree.nodes.map((node) => [node.candidateId, node]));
  const whole = tree.path.flatMap((id) => nodes.get(id) ?? []);
  const claimOf = (id: string) => claims.findLast(({ candidateId }) => candidateId === id) ?? null;
  const path = whole.filter(
    ({ candidateId }, index) => !claimed || index === 0 || index === whole.length - 1 || claimOf(candidateId) !== null,
  );
  const sign = direction === 'minimize' ? -1 : 1;
  const gainOver = (reference: number | null, value: number | null): number | null =>
    value === null || reference === null ? null : sign * (value - reference);
  const first = path[0]?.value ?? null;
  return path.map((node, index) => ({
    node,
    gain: index === 0 ? null : gainOver(path[index - 1]?.value ?? null, node.value),
    total: index === 0 ? null : gainOver(first, node.value),
    claim: claimOf(node.candidateId),
  }));
}
