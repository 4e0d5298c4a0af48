import { sd, seriesOf } from './series.ts';

/** Skewness and excess kurtosis of a sample (bias-corrected G1 and G2); zeros where n < 4 or all values agree. */
export function shape(values: readonly number[]): { skewness: number; kurtosis: number } {
  const n = values.length;
  const series = seriesOf(values);
  if (n < 4 || sd(series) === 0) return { skewness: 0, kurtosis: 0 };
  const m2 = series.m2 / n;
  const power = (k: number): number => values.reduce((sum, x) => sum + (x - series.mean) ** k, 0) / n;
  const g1 = power(3) / m2 ** 1.5;
  const g2 = power(4) / m2 ** 2 - 3;
  return {
    skewness: (g1 * Math.sqrt(n * (n - 1))) / (n - 2),
    kurtosis: ((n - 1) / ((n - 2) * (n - 3))) * ((n + 1) * g2 + 6),
  };
}
