import type { TreeNode, TreeView } from '../tree.ts';
import { harmonic } from './harmonic.ts';
import { better, type Scored } from './scaled.ts';

/**
 * Chooses as autoresearch-distillation does: Q + c·((1/rank)/H_n)·√(1 + T)/(1 + N). The reward of a state is its gain
 * over the baseline in units of the metric. Q is the largest reward among its descendants, 0 for a leaf. Only states
 * with a reward above 0 and the baseline count. Of more than `most` states, the leaves with the lowest reward are left
 * out: these are the states with the lowest best reward of their branches, so that `byBest` begins with the others.
 */
export function choosePublished(
  { byBest, visits }: TreeView,
  { c, most }: { c: number; most: number },
): Scored | 'nothing scored' {
  // The best of the original's branch is the best of all.
  const root = byBest[0];
  const baseline = root?.value ?? null;
  if (root === undefined || baseline === null) return 'nothing scored';
  const rewardOf = (value: number | null): number => Math.max(0, value === null ? 0 : value - baseline);
  const gained = byBest.filter((node) => node !== root && rewardOf(node.value) > 0).slice(0, most - 1);
  const states = [...gained, root].toSorted((a, b) => rewardOf(b.value) - rewardOf(a.value) || a.seq - b.seq);
  const weight = (c / harmonic(states.length)) * Math.sqrt(1 + visits);
  const score = (node: TreeNode, index: number): Scored => ({
    node,
    rank: index + 1,
    quality: rewardOf(node.below),
    exploration: weight / (index + 1) / (1 + node.visits),
  });
  return states.map(score).reduce(better);
}
