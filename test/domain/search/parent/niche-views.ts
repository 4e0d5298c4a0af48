import type { LineageView } from '../../../../domain/search/parent.ts';
import { type NicheView, NO_TREE, type TreeNode } from '../../../../domain/search/parent/tree.ts';

export const nodeOf = (candidateId: string, { value, seq }: { value: number; seq: number }): TreeNode => ({
  candidateId,
  seq,
  depth: 1,
  value,
  runs: 1,
  below: null,
  best: value,
  visits: 0,
  inFlight: 0,
});

/** A view whose best node is the best one of the niches. */
export function viewWith(niches: readonly NicheView[], { scored = 0 } = {}): LineageView {
  const nodes = niches.flatMap(({ best }) => best).toSorted((a, b) => b.value! - a.value!);
  return {
    direction: 'maximize',
    original: 'original',
    incumbent: 'original',
    lead: 'original',
    tree: { ...NO_TREE, scored: scored || nodes.length, byValue: nodes.slice(0, 1), niches },
  };
}
