/**
 * Percentiles of the values of several ascending columns, interpolated as `percentile_cont` of Postgres does; null
 * without values. `shares`: from 0 to 1.
 */
export function percentiles(columns: readonly Float64Array[], shares: readonly number[]): (number | null)[] {
  const count = columns.reduce((sum, { length }) => sum + length, 0);
  if (count === 0) return shares.map(() => null);
  return shares.map((share) => {
    const place = share * (count - 1);
    const [low, next] = valuesAt(columns, Math.floor(place));
    return place === Math.floor(place) ? low : low + (next - low) * (place - Math.floor(place));
  });
}

/**
 * The value at a place of the ascending order of all columns, and the value after it. Each step compares all columns
 * with the middle of the one that has most values left.
 */
function valuesAt(columns: readonly Float64Array[], place: number): [value: number, next: number] {
  const from = columns.map(() => 0);
  const to = columns.map(({ length }) => length);
  for (;;) {
    const widest = widestOf(from, to);
    const pivot = columns[widest]?.[((from[widest] ?? 0) + (to[widest] ?? 0)) >> 1] ?? 0;
    const below = columns.map((column, i) => firstAtLeast(column, pivot, { low: from[i] ?? 0, high: to[i] ?? 0 }));
    const above = columns.map((column, i) => firstAbove(column, pivot, { low: below[i] ?? 0, high: to[i] ?? 0 }));
    if (place < sum(below)) below.forEach((index, i) => (to[i] = index));
    else if (place >= sum(above)) above.forEach((index, i) => (from[i] = index));
    else return [pivot, place + 1 < sum(above) ? pivot : leastAt(columns, above)];
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** Index of the column with most values left. */
function widestOf(starts: readonly number[], ends: readonly number[]): number {
  let widest = 0;
  for (let i = 1; i < starts.length; i += 1)
    if ((ends[i] ?? 0) - (starts[i] ?? 0) > (ends[widest] ?? 0) - (starts[widest] ?? 0)) widest = i;
  return widest;
}

/** Least of the values at one index of each column. */
const leastAt = (columns: readonly Float64Array[], indices: readonly number[]): number =>
  columns.reduce((least, column, i) => Math.min(least, column[indices[i] ?? 0] ?? Infinity), Infinity);

interface Range {
  low: number;
  high: number;
}

function firstAtLeast(column: Float64Array, bound: number, { low, high }: Range): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle] ?? Infinity) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstAbove(column: Float64Array, bound: number, { low, high }: Range): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle] ?? Infinity) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
