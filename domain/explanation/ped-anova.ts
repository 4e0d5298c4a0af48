import { cellDensity } from './cell-density.ts';

/** Cell of each candidate on one axis; -1 for a candidate without a value there. */
export interface AxisCells {
  cells: number;
  isOrdered: boolean;
  at: Int16Array;
}

/** A sample of candidates: numbers of candidates in any order, with repetitions. */
export type Sample = ArrayLike<number>;

/** Fewest candidates with a value on an axis. */
const LEAST = 2;
/** Lower limit of a density, as in Optuna. */
const FLOOR = 1e-12;

/**
 * The importance of each axis for reaching the top of the sample, by PED-ANOVA: γ² · Σ p(x) · (q(x)/p(x) − 1)² over the
 * cells x. p is the density of all candidates, q that of the top, γ the share of the top. If some candidates have no
 * value on an axis, p and q are the densities of the others, and the sum is multiplied by α²/β: α is the share of the
 * others in the top, β their share in all. Sources: arXiv 2304.10255, and 2601.20800 for missing values.
 */
export function pedAnova(
  axes: readonly AxisCells[],
  { sample, isTop }: { sample: Sample; isTop: boolean[] },
): number[] {
  const all = sample.length;
  const top = isTop.reduce((sum, is) => sum + (is ? 1 : 0), 0);
  return axes.map((axis) => {
    const counts = new Float64Array(axis.cells);
    const topCounts = new Float64Array(axis.cells);
    let [here, topHere] = [0, 0];
    for (let index = 0; index < all; index += 1) {
      const cell = axis.at[sample[index] ?? 0] ?? -1;
      if (cell < 0) continue;
      here += 1;
      counts[cell] = (counts[cell] ?? 0) + 1;
      if (!isTop[index]) continue;
      topHere += 1;
      topCounts[cell] = (topCounts[cell] ?? 0) + 1;
    }
    if (axis.cells < 2 || here < LEAST || topHere === 0) return 0;
    const weight = (topHere / top) ** 2 / (here / all);
    return (top / all) ** 2 * weight * divergence(cellDensity(topCounts, axis), cellDensity(counts, axis));
  });
}

function divergence(top: Float64Array, all: Float64Array): number {
  let sum = 0;
  for (let cell = 0; cell < all.length; cell += 1) {
    const [q, p] = [(top[cell] ?? 0) + FLOOR, (all[cell] ?? 0) + FLOOR];
    sum += p * (q / p - 1) ** 2;
  }
  return sum;
}

/**
 * Marks the top of a sample: its best `size` entries, and those as good as the last of them. `cost`: the candidates'
 * values, signed so that lower is better.
 */
export function markTop(sample: Sample, { cost, size }: { cost: Float64Array; size: number }): boolean[] {
  const costs = Float64Array.from(sample, (candidate) => cost[candidate] ?? 0);
  const last = costs.toSorted()[Math.min(size, costs.length) - 1] ?? 0;
  return Array.from(costs, (one) => one <= last);
}
