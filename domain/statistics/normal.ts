/** Density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

/** P(Z ≤ x) for a standard normal Z (Numerical Recipes' erfc, relative error below 1.2e-7). */
export function normalCdf(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.5 * z);
  const inner =
    0.09678418 +
    t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))));
  const erfc = t * Math.exp(-z * z - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * inner)));
  return x >= 0 ? 1 - 0.5 * erfc : 0.5 * erfc;
}

/** E[max(X, 0)] for a normal X with the given mean and sd ≥ 0. */
export function expectedGain(mean: number, sd: number): number {
  if (sd <= 0) return Math.max(mean, 0);
  const z = mean / sd;
  return mean * normalCdf(z) + sd * normalDensity(z);
}
