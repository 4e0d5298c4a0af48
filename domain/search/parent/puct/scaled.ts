import { isWhole, type TreeNode, type TreeView } from '../tree.ts';
import { harmonic } from './harmonic.ts';

/** A node with its score: quality and exploration, which are added. */
export interface Scored {
  node: TreeNode;
  /** Position by own value, from 1. */
  rank: number;
  quality: number;
  exploration: number;
}

/**
 * Chooses the node with the largest (best − lowest)/(highest − lowest) + c·((1/rank)/H_n)·√(1 + T)/(1 + N): N counts
 * proposals from a node and below it, T all proposals, both with those in flight, so that concurrent choices spread.
 * Null: a node beyond the view might score higher. Exact: Fagin's threshold algorithm over two orders.
 */
export function chooseScaled(tree: TreeView, c: number): Scored | null | 'nothing scored' {
  const { byValue, byBest, scored } = tree;
  const highest = byValue[0]?.value;
  if (highest === undefined || highest === null) return 'nothing scored';
  const scale = scaleOf(tree.lowest, highest);
  const weight = (c / harmonic(scored)) * Math.sqrt(1 + tree.visits);
  const score = (node: TreeNode, rank: number): Scored => ({
    node,
    rank,
    quality: scale(node.best ?? tree.lowest),
    exploration: weight / rank / (1 + node.visits),
  });
  const found = byValue.map((node, index) => score(node, index + 1)).reduce(better);
  if (isWhole(tree)) return found;
  // No node beyond `byValue` has a better rank than this.
  const next = byValue.length + 1;
  const ranked = new Set(byValue.map(({ seq }) => seq));
  const unranked = byBest.filter(({ seq }) => !ranked.has(seq)).map((node) => totalOf(score(node, next)));
  const beyond = scale(byBest.at(-1)?.best ?? highest) + weight / next;
  return [beyond, ...unranked].every((bound) => totalOf(found) >= bound) ? found : null;
}

const totalOf = ({ quality, exploration }: Scored): number => quality + exploration;

/** The better one of two; of equal ones the first. */
export const better = (one: Scored, other: Scored): Scored => (totalOf(other) > totalOf(one) ? other : one);

/** Scales values to [0, 1]; to 0 if all are equal. Halves keep the range finite. */
function scaleOf(lowest: number, highest: number): (value: number) => number {
  const range = highest / 2 - lowest / 2;
  return (value) => (range > 0 ? (value / 2 - lowest / 2) / range : 0);
}
