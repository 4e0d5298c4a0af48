import type { Random } from './random.ts';

/** Draws an index with a probability in proportion to its weight; −1 without weights. */
export function drawByWeight(weights: readonly number[], random: Random): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let rest = random.uniform() * total;
  for (const [index, weight] of weights.entries()) {
    if (rest < weight) return index;
    rest -= weight;
  }
  return weights.length - 1;
}
