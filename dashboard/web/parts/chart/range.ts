/** Values farther from the median than so many times their usual distance from it do not stretch the axis. */
const FAR = 18;
/** But no more than this share of them is left out. */
const LEFT_OUT = 0.05;

/** A stretch of an axis, and how many values lie outside of it. */
export interface Range {
  min: number;
  max: number;
  below: number;
  above: number;
}

/** The stretch that holds the bulk of the values and all of `musts`; null where there is neither. NaN and infinities are passed over. */
export function robustRange(values: Iterable<number | null>, musts: Iterable<number | null> = []): Range | null {
  const sorted = Float64Array.from([...values].filter(isFinite)).sort();
  const needed = [...musts].filter(isFinite);
  const [low, high] = fencesOf(sorted);
  let [min, max] = [Infinity, -Infinity];
  for (const value of sorted)
    if (value >= low && value <= high) [min, max] = [Math.min(min, value), Math.max(max, value)];
  for (const value of needed) [min, max] = [Math.min(min, value), Math.max(max, value)];
  if (min > max) return null;
  let [below, above] = [0, 0];
  for (const value of sorted) {
    if (value < min) below++;
    if (value > max) above++;
  }
  return { min, max, below, above };
}

const isFinite = (value: number | null): value is number => value !== null && Number.isFinite(value);

/** Values between which nothing is an outlier. `sorted` rises. */
function fencesOf(sorted: Float64Array): [number, number] {
  if (sorted.length < 4) return [-Infinity, Infinity];
  const median = at(sorted, 0.5);
  const usual = at(sorted.map((value) => Math.abs(value - median)).sort(), 0.5);
  if (usual === 0) return [-Infinity, Infinity];
  return [
    Math.min(median - FAR * usual, at(sorted, LEFT_OUT / 2)),
    Math.max(median + FAR * usual, at(sorted, 1 - LEFT_OUT / 2)),
  ];
}

/** The value below which that share lies: one that is there. */
const at = (sorted: Float64Array, share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? NaN;

/** A stretch with room on both sides, by a share of it; one without width gets some. */
export function padded([min, max]: readonly [number, number], share: number): [number, number] {
  const width = max - min || Math.abs(max) * 0.1 || 1;
  return [min - share * width, max + share * width];
}
