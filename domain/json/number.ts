/** A number that survives JSON: what is not finite travels as text, since JSON turns NaN and infinity into null. */
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

/** Largest absolute value that counts as finite: statistics square values, and the square of a larger one is infinite. */
export const LARGEST_VALUE = 1e150;

/** A number that people and JSON can read as one; null for what is not finite, or not there. */
export const finiteOrNull = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;
