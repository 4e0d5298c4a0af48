/** Each number less the one before it, the first less 0: numbers in their order are the same step again and again, which packs to nearly nothing. */
export const encodeDeltas = (numbers: readonly number[]): number[] =>
  numbers.map((n, index) => n - (index === 0 ? 0 : (numbers[index - 1] ?? 0)));

/** The numbers of such steps. */
export function decodeDeltas(steps: readonly number[]): number[] {
  let last = 0;
  return steps.map((step) => (last += step));
}
