/**
 * Percentiles of the values of several columns, interpolated as `percentile_cont` of Postgres does; null without
 * values. `shares`: ascending, from 0 to 1.
 */
export function percentiles(columns: readonly Float64Array[], shares: readonly number[]): (number | null)[] {
  const values = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const column of columns) {
    values.set(column, next);
    next += column.length;
  }
  if (values.length === 0) return shares.map(() => null);
  return shares.map((share) => {
    const place = share * (values.length - 1);
    const low = select(values, Math.floor(place));
    const high = select(values, Math.ceil(place));
    return low + (high - low) * (place - Math.floor(place));
  });
}

/** The value at a place of the ascending order. Moves values, so that lower ones come before it (quickselect). */
function select(values: Float64Array, place: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const pivot = values[(from + to) >> 1] ?? 0;
    let [low, high] = [from, to];
    while (low <= high) {
      while ((values[low] ?? 0) < pivot) low += 1;
      while ((values[high] ?? 0) > pivot) high -= 1;
      if (low > high) break;
      [values[low], values[high]] = [values[high] ?? 0, values[low] ?? 0];
      low += 1;
      high -= 1;
    }
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else break;
  }
  return values[place] ?? 0;
}
