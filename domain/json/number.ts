/** A number that survives JSON. NaN and infinity are encoded as text, since JSON turns them into null. */
export type EncodedNumber = number | 'nan' | 'inf' | '-inf';

/** Encodes a number for a payload or a JSON column. */
export function encodeNumber(value: number): EncodedNumber {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

/** Decodes what {@link encodeNumber} wrote. */
export function decodeNumber(value: EncodedNumber): number {
  if (typeof value === 'number') return value;
  if (value === 'nan') return Number.NaN;
  return value === 'inf' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}

/** Largest absolute value that counts as finite: statistics square values, and larger squares overflow to infinity. */
export const LARGEST_VALUE = 1e150;

/** The number if it is finite, else null. */
export const finiteOrNull = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;
