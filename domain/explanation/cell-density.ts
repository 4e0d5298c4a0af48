import { normalCdf } from '../statistics/normal.ts';

/** Least width of a kernel: 90 % of its mass lie in its own cell. */
const LEAST_SIGMA = 0.5 / 1.64;

/**
 * The density over an axis's cells, from the number of candidates in each: a mixture of kernels at the occupied cells,
 * weighted by their candidates, and a prior kernel of weight 1. The widths follow Scott's rule. Without candidates
 * it is even. Source: Watanabe et al., PED-ANOVA (IJCAI 2023, arXiv 2304.10255), as Optuna 5.0.0 computes it.
 */
export function cellDensity(counts: ArrayLike<number>, { isOrdered }: { isOrdered: boolean }): Float64Array {
  const occupied = Array.from({ length: counts.length }, (_, cell) => cell).filter((cell) => (counts[cell] ?? 0) > 0);
  if (occupied.length === 0) return new Float64Array(counts.length).fill(1 / counts.length);
  return isOrdered ? ofOrdered(counts, occupied) : ofChoices(counts, occupied);
}

function ofChoices(counts: ArrayLike<number>, occupied: readonly number[]): Float64Array {
  const cells = counts.length;
  const prior = 1 / (occupied.length + 1);
  const sum = occupied.reduce((all, cell) => all + (counts[cell] ?? 0), 0);
  // Each kernel gives every choice the share `prior`, and its own choice 1 more; the prior kernel is even.
  const each = prior / (prior * cells + 1);
  const density = new Float64Array(cells).fill((sum * each + 1 / cells) / (sum + 1));
  for (const cell of occupied)
    density[cell] = (density[cell] ?? 0) + (counts[cell] ?? 0) / (prior * cells + 1) / (sum + 1);
  return density;
}

function ofOrdered(counts: ArrayLike<number>, occupied: readonly number[]): Float64Array {
  const cells = counts.length;
  const sum = occupied.reduce((all, cell) => all + (counts[cell] ?? 0), 0);
  const density = new Float64Array(cells);
  const add = (kernel: { mean: number; sigma: number; weight: number }, at: (edge: number) => number): void => {
    const mass = at(cells - 0.5 - kernel.mean) - at(-0.5 - kernel.mean);
    for (let cell = 0; cell < cells; cell += 1) {
      const within = at(cell + 0.5 - kernel.mean) - at(cell - 0.5 - kernel.mean);
      density[cell] = (density[cell] ?? 0) + (kernel.weight * within) / mass / (sum + 1);
    }
  };
  const sigma = widthOf(counts, { occupied, sum });
  // Edges lie at half cells from the mean, so that all kernels share one table of the normal distribution.
  const table = Float64Array.from({ length: 2 * cells + 1 }, (_, index) => normalCdf((index - cells - 0.5) / sigma));
  for (const mean of occupied)
    add({ mean, sigma, weight: counts[mean] ?? 0 }, (edge) => table[Math.round(edge + cells + 0.5)] ?? 0);
  add({ mean: (cells - 1) / 2, sigma: cells, weight: 1 }, (edge) => normalCdf(edge / cells));
  return density;
}

/** Scott's rule on cells: 1.059 · min(interquartile range / 1.34, sd) · n^(−1/5). */
function widthOf(counts: ArrayLike<number>, { occupied, sum }: { occupied: readonly number[]; sum: number }): number {
  const weighted = (score: (cell: number) => number): number =>
    occupied.reduce((all, cell) => all + score(cell) * (counts[cell] ?? 0), 0);
  const mean = weighted((cell) => cell) / sum;
  const sd = Math.sqrt(weighted((cell) => (cell - mean) ** 2) / Math.max(1, sum - 1));
  let below = 0;
  const upTo = occupied.map((cell) => (below += counts[cell] ?? 0));
  const first = upTo.findIndex((n) => n >= Math.floor(sum / 4));
  const third = upTo.findIndex((n) => n > Math.floor((sum * 3) / 4));
  const last = occupied.length - 1;
  const range = (occupied[third === -1 ? last : third] ?? 0) - (occupied[first] ?? 0);
  return Math.max(LEAST_SIGMA, 1.059 * Math.min(range / 1.34, sd) * sum ** -0.2);
}
