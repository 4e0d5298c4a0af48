/**
 * Numbers missing below the highest one seen, twice as many as the widest window has under way; older ones are given up
 * for ended.
 */
const MOST = 2048;

/** Which run numbers were counted: everything up to `high` but the holes. Plain JSON. */
export interface Counted {
  high: number;
  holes: number[];
}

/** Whether run `n` was counted before. */
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
