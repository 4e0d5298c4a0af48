interface Points {
  x: readonly number[];
  y: readonly number[];
}

/** Columns and rows of the grid: at most 1,536 points remain. */
const GRID = { x: 48, y: 32 };

/**
 * Indices of the points to draw, in their order. A grid divides the points by their ranks, so that each of its columns
 * and rows has equally many of them, wherever outliers lie. Each cell keeps its first point, and the others are left
 * out: the plot keeps its outline and its outliers, and loses its density.
 */
export function thinPoints({ x, y }: Points): number[] {
  if (x.length <= GRID.x * GRID.y) return [...x.keys()];
  const [column, row] = [ranksOf(x), ranksOf(y)];
  const cellOf = (rank: number, count: number): number => Math.floor((rank * count) / x.length);
  const taken = new Set<number>();
  return [...x.keys()].filter((index) => {
    const cell = cellOf(column[index] ?? 0, GRID.x) * GRID.y + cellOf(row[index] ?? 0, GRID.y);
    const isFirst = !taken.has(cell);
    taken.add(cell);
    return isFirst;
  });
}

/** Rank of each number, from 0; equal numbers have the same one. */
function ranksOf(numbers: readonly number[]): number[] {
  const order = [...numbers.keys()].sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0));
  const ranks: number[] = [];
  for (const [rank, index] of order.entries()) {
    const before = order[rank - 1];
    const isEqual = before !== undefined && numbers[before] === numbers[index];
    ranks[index] = isEqual ? (ranks[before] ?? 0) : rank;
  }
  return ranks;
}

/** `most` of the entries, evenly, with the first and the last one. */
export const spreadEvenly = <T>(entries: readonly T[], most: number): T[] =>
  entries.length <= most
    ? [...entries]
    : Array.from({ length: most }, (_, at) => entries[Math.round((at * (entries.length - 1)) / (most - 1))] as T);
