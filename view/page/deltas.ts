/**
 * Differences between consecutive numbers, beginning with the first number itself. Evenly spaced numbers give equal
 * differences, which compress to almost nothing.
 */
export const encodeDeltas = (numbers: readonly number[]): number[] =>
  numbers.map((n, index) => n - (index === 0 ? 0 : (numbers[index - 1] ?? 0)));

/** The numbers that `encodeDeltas` encoded. */
export function decodeDeltas(deltas: readonly number[]): number[] {
  let last = 0;
  return deltas.map((delta) => (last += delta));
}
