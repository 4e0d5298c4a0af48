import { normalCdf, normalDensity } from '../statistics/normal.ts';

/** Range and steps of the integral: beyond 9 sd the density is below 1e-18. */
const REACH = 9;
const STEPS = 900;

/**
 * By how many standard deviations the best of `n` equal candidates, measured once each with normal noise, looks better
 * than it is: E[max of n standard normals] = n ∫ x φ(x) Φ(x)^(n−1) dx (David and Nagaraja, Order Statistics, 3.1.1), by
 * Simpson's rule. 0 for n below 2.
 */
export function bestByLuck(n: number): number {
  if (n < 2) return 0;
  const width = (2 * REACH) / STEPS;
  let sum = 0;
  for (let i = 0; i <= STEPS; i += 1) {
    const x = -REACH + i * width;
    sum += weightOf(i) * n * x * normalDensity(x) * normalCdf(x) ** (n - 1);
  }
  return (sum * width) / 3;
}

/** Weight of a point in Simpson's rule. */
function weightOf(i: number): number {
  if (i === 0 || i === STEPS) return 1;
  return i % 2 === 1 ? 4 : 2;
}
