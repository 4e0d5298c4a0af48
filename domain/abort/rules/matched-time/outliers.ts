/** Share of the runs at either end that is left out of the spread. */
const TAIL = 0.1;
/**
 * Spreads (from the best tenth to the worst) beyond the worst tenth from which a final or a value is an outlier: 9 σ
 * from the middle of a normal distribution.
 */
const SPREADS = 3;

/**
 * Counts the finals (signed, best first) that are not outliers. An outlier, such as a perplexity that exploded at the
 * end or another unit, would dominate a least squares fit. Leaving it out costs no validity: values are regressed on
 * finals, and the value at a given final does not depend on the selection of finals. The bound is of the kind of
 * Tukey's fence (1977, §2D), from tenths instead of quartiles, since many proposals end like their parent.
 */
export function countPlausible(finals: readonly number[]): number {
  const at = (share: number): number => finals[Math.floor(share * (finals.length - 1))] ?? Number.NaN;
  const worst = at(1 - TAIL);
  const spread = worst - at(TAIL);
  if (!(spread > 0)) return finals.length;
  const from = finals.findIndex((final) => final > worst + SPREADS * spread);
  return from < 0 ? finals.length : from;
}

/** Range of values at one share of the budget that are not outliers. */
export interface OutlierBounds {
  from: number;
  to: number;
}

/** Least distance of a bound, in medians: another unit is further off (bits for nats: × 1.44 or × .69). */
const UNIT = 0.25;
/** Distance of the upper bound, as a multiple of the median, if most values agree and so show no spread. */
const FAR = 3;
/** Fewest values for which bounds are set: fewer have no tenths. */
const FEWEST = 10;
/** Bounds without outliers. Not infinite, since JSON has no infinity. */
const UNBOUNDED: OutlierBounds = { from: -Number.MAX_VALUE, to: Number.MAX_VALUE };

/**
 * Returns the bounds beyond which a value is an outlier among these values of runs at one share of the budget: of
 * another unit, or of a run that jumped. Unlike finals, values have bounds on both sides, since a unit may also be a
 * thousand times smaller. The distance is at least {@link UNIT}: early values of ordinary runs differ more than their
 * finals.
 *
 * If most values agree (all runs begin alike, or by chance), lower values come from the first runs that learn, however
 * much lower they are (an accuracy of .8 instead of .001), so there is no lower bound: another unit there blunts this
 * look only. A value far above would become the limit of all looks, so there is an upper bound. If most values are 0,
 * nothing shows their size, and there are no bounds.
 */
export function outlierBoundsOf(values: readonly number[]): OutlierBounds {
  if (values.length < FEWEST || areNear(values)) return UNBOUNDED;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  const [low, high, size] = [at(TAIL), at(1 - TAIL), Math.abs(at(0.5))];
  if (!(high > low)) return size > 0 ? { ...UNBOUNDED, to: high + FAR * size } : UNBOUNDED;
  const reach = Math.max(SPREADS * (high - low), UNIT * size);
  return { from: low - reach, to: high + reach };
}

/** True if the values lie so near each other that none can be an outlier. A shortcut that saves the sort. */
function areNear(values: readonly number[]): boolean {
  let [least, most, size] = [Infinity, -Infinity, Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    size = Math.min(size, Math.abs(value));
  }
  return most - least <= UNIT * size;
}

export const isWithinBounds = ({ from, to }: OutlierBounds, value: number): boolean => value >= from && value <= to;
