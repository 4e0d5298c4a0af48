/**
 * Most numbers remembered as missing below the highest counted one: twice the widest window. Older ones count as
 * counted.
 */
const MOST = 2048;

/** The run numbers that were counted: all up to `high` except the holes. Plain JSON. */
export interface Counted {
  high: number;
  holes: number[];
}

/** True if run `n` was counted before. */
export function wasCounted(counted: Counted, n: number): boolean {
  return n <= counted.high && !counted.holes.includes(n);
}

/** Counts run `n`. */
export function countRun(counted: Counted, n: number): Counted {
  if (n <= counted.high) return { high: counted.high, holes: counted.holes.filter((hole) => hole !== n) };
  const holes = [...counted.holes];
  for (let hole = Math.max(counted.high + 1, n - MOST); hole < n; hole += 1) holes.push(hole);
  return { high: n, holes: holes.slice(-MOST) };
}
