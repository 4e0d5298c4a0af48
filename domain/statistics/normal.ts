/** Density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

/** Beyond this distance from 0, the continued fraction converges faster than the series. */
const SERIES_UP_TO = 3;

/**
 * P(Z ≤ x) for a standard normal Z; absolute error below 1e-14, and relative error below 1e-12 in the lower tail
 * (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.11 and 26.2.14).
 */
export function normalCdf(x: number): number {
  if (Math.abs(x) < SERIES_UP_TO) return 0.5 + normalDensity(x) * seriesSum(x);
  const tail = upperTail(Math.abs(x));
  return x < 0 ? tail : 1 - tail;
}

/** x + x³/3 + x⁵/(3·5) + … */
function seriesSum(x: number): number {
  const square = x * x;
  let term = x;
  let sum = x;
  for (let k = 3; Math.abs(term) > 1e-17; k += 2) {
    term *= square / k;
    sum += term;
  }
  return sum;
}

/** Terms of the continued fraction: enough for `SERIES_UP_TO` and beyond. */
const TERMS = 60;

/** P(Z > x) for x ≥ `SERIES_UP_TO`: the density times 1/(x + 1/(x + 2/(x + 3/(x + …)))). */
function upperTail(x: number): number {
  let below = x;
  for (let k = TERMS; k >= 1; k -= 1) below = x + k / below;
  return normalDensity(x) / below;
}

/** E[max(X, 0)] for a normal X with the given mean and sd ≥ 0. */
export function expectedGain(mean: number, sd: number): number {
  if (sd <= 0) return Math.max(mean, 0);
  const z = mean / sd;
  return mean * normalCdf(z) + sd * normalDensity(z);
}
