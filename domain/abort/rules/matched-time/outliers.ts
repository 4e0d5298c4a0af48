/** Share of the runs at either end that says nothing of how far apart finals are. */
const TAIL = 0.1;
/** Spreads (from the best tenth to the worst) beyond the worst tenth at which a final, or a value, is absurd: 9 σ from the middle of normal ones. */
const SPREADS = 3;

/**
 * How many of the finals (signed, best first) are not absurdly bad: a perplexity that exploded at the end, another unit. One
 * such final would be all that a least squares fit sees. To leave it out costs no validity: values are regressed on the
 * finals, and what a value is for a given final does not depend on which finals are looked at. It is a fence of the kind of
 * Tukey's (1977, §2D), from tenths and not from quartiles: many proposals end like what they began with.
 */
export function countPlausible(finals: readonly number[]): number {
  const at = (share: number): number => finals[Math.floor(share * (finals.length - 1))] ?? Number.NaN;
  const worst = at(1 - TAIL);
  const spread = worst - at(TAIL);
  if (!(spread > 0)) return finals.length;
  const from = finals.findIndex((final) => final > worst + SPREADS * spread);
  return from < 0 ? finals.length : from;
}

/** What a value at one share of the budget lies between, unless it is absurd. */
export interface OutlierBounds {
  from: number;
  to: number;
}

/** How far that is at least, in sizes of the middle value: another unit is further off (bits for nats are 1.44 times as much, or .69). */
const UNIT = 0.25;
/** How far above the middle value that is where most agree, in sizes of it: no spread tells how far apart ordinary ones lie. */
const FAR = 3;
/** Values of which there are tenths. */
const FEWEST = 10;
/** Rules nobody out; plain JSON, as infinity is not. */
const NOBODY: OutlierBounds = { from: -Number.MAX_VALUE, to: Number.MAX_VALUE };

/**
 * Next to these values of runs at one share of the budget one beyond the fence is absurd: of another unit, or of a run that
 * jumped. It is the fence of finals on both sides, as a unit may be a thousand times smaller, too, and never nearer than
 * {@link UNIT}: what ordinary runs show early differs more than their ends (some start late).
 *
 * Where most values agree (all begin alike, or by chance) those below are of runs that learn first, by however much (from an
 * accuracy of .001 to one of .8), so none of them is absurd: another unit there blunts this look, no other. One far above would
 * be the limit of all looks. Where most are 0 nothing tells a size, and nobody is ruled out.
 */
export function outlierBoundsOf(values: readonly number[]): OutlierBounds {
  if (values.length < FEWEST || areNear(values)) return NOBODY;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  const [low, high, size] = [at(TAIL), at(1 - TAIL), Math.abs(at(0.5))];
  if (!(high > low)) return size > 0 ? { ...NOBODY, to: high + FAR * size } : NOBODY;
  const reach = Math.max(SPREADS * (high - low), UNIT * size);
  return { from: low - reach, to: high + reach };
}

/** Whether they lie so near each other that none can be beyond the fence: told at once, and a sort takes its time. */
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
