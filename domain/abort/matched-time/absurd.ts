/** Share of the runs at either end that says nothing of how far apart finals are. */
const TAIL = 0.1;
/** Spreads (from the best tenth to the worst) beyond the worst tenth at which a final is absurd: 9 σ from the middle of normal ones. */
const SPREADS = 3;

/**
 * How many of the finals (signed, best first) are not absurdly bad: a perplexity that exploded at the end, another unit. One
 * such final would be all that a least squares fit sees. To leave it out costs no validity: values are regressed on the
 * finals, and what a value is for a given final does not depend on which finals are looked at. It is a fence of the kind of
 * Tukey's (1977, §2D), from tenths and not from quartiles: many proposals end like what they began with.
 */
export function howManySane(finals: readonly number[]): number {
  const at = (share: number): number => finals[Math.floor(share * (finals.length - 1))] ?? Number.NaN;
  const worst = at(1 - TAIL);
  const spread = worst - at(TAIL);
  if (!(spread > 0)) return finals.length;
  const from = finals.findIndex((final) => final > worst + SPREADS * spread);
  return from < 0 ? finals.length : from;
}
