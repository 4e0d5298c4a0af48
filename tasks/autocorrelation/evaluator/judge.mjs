// The exact judgement of a step function, in whole numbers.

/** Largest number of steps. */
export const MOST_STEPS = 2000;

/** Reason why the value is no list of heights, in words; undefined if it is one. */
export function problemOf(heights) {
  if (!Array.isArray(heights) || heights.length < 1 || heights.length > MOST_STEPS)
    return `expected an array of 1 to ${MOST_STEPS} heights`;
  const wrong = heights.findIndex((height) => !Number.isSafeInteger(height) || height < 0);
  if (wrong >= 0) return `height ${wrong}: expected a whole number from 0 to 2^53 - 1`;
  if (heights.every((height) => height === 0)) return 'expected a height above 0';
  return undefined;
}

/**
 * max f∗f / (∫f)² of the step function with these heights on equal steps of [-1/4, 1/4], rounded up to 12 decimals.
 * Steps of width w = 1/(2n) give f∗f at the borders of steps w·Σ hᵢhⱼ over i + j = k, and f∗f is linear between them.
 */
export function boundOf(heights) {
  const exact = heights.map(BigInt);
  const convolution = Array.from({ length: 2 * exact.length - 1 }, () => 0n);
  for (const [i, a] of exact.entries()) {
    if (a === 0n) continue;
    convolution[2 * i] += a * a;
    for (let j = i + 1; j < exact.length; j++) convolution[i + j] += 2n * a * exact[j];
  }
  const most = convolution.reduce((a, b) => (b > a ? b : a));
  const square = exact.reduce((a, b) => a + b) ** 2n;
  return Number((2n * BigInt(exact.length) * most * 10n ** 12n + square - 1n) / square) / 1e12;
}
