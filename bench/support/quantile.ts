/**
 * The value below which the share `p` (0 to 1) of the values lies, linear between neighbours as in NumPy.
 * simple-statistics instead rounds to a neighbour or averages two, depending on the count.
 * Throws on no values or a wrong share.
 */
export function quantile(values: readonly number[], p: number): number {
  if (values.length === 0) throw new RangeError('expected at least one value for a quantile, got none');
  if (!(p >= 0 && p <= 1)) throw new RangeError(`expected a share from 0 to 1 for a quantile, got ${p}`);
  const sorted = Float64Array.from(values).sort();
  const position = (sorted.length - 1) * p;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  // Equal values need no interpolation; between two infinite ones it would give NaN.
  return below === above ? below : below + (above - below) * (position - Math.floor(position));
}
