/** From MANY values on, the bulk is the values without the most extreme ones: half of this share on either side. */
const LEFT_OUT = 0.05;
/** A value is an outlier if it is farther from the bulk than this share of the bulk's width. */
const ROOM = 0.5;
/** Below MANY values, an outlier is farther from the median than FAR times the median distance from it. */
const MANY = 40;
const FAR = 18;

/** A range of an axis, and the numbers of values outside it. */
export interface Range {
  min: number;
  max: number;
  below: number;
  above: number;
}

/**
 * The range of all `values` without outliers, and of all `musts`; null if there are neither. NaN and infinities are
 * ignored.
 */
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

/** Limits outside which a value is an outlier. `sorted` is in ascending order. */
function fencesOf(sorted: Float64Array): [number, number] {
  const all: [number, number] = [-Infinity, Infinity];
  if (sorted.length < 4) return all;
  if (sorted.length >= MANY) {
    const [low, high] = [at(sorted, LEFT_OUT / 2), at(sorted, 1 - LEFT_OUT / 2)];
    return low === high ? all : [low - ROOM * (high - low), high + ROOM * (high - low)];
  }
  const median = at(sorted, 0.5);
  const distances = sorted.map((value) => Math.abs(value - median)).sort();
  const usual = at(distances, 0.5);
  return usual === 0 ? all : [median - FAR * usual, median + FAR * usual];
}

/** The quantile of that share, as the nearest of the values. */
const at = (sorted: Float64Array, share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? NaN;

/** Widens a range on both sides by a share of its width. A range without width gets some. */
export function padded([min, max]: readonly [number, number], share: number): [number, number] {
  const width = max - min || Math.abs(max) * 0.1 || 1;
  return [min - share * width, max + share * width];
}
