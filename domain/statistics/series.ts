/** Sufficient statistics of a list of finite numbers; `m2` is the sum of squared deviations. Plain JSON. */
export interface Series {
  n: number;
  mean: number;
  m2: number;
  min: number;
  max: number;
}

export const EMPTY_SERIES: Series = { n: 0, mean: 0, m2: 0, min: 0, max: 0 };

/** The series with one more value (Welford, stable far from zero). */
export function addValue(series: Series, value: number): Series {
  if (series.n === 0) return { n: 1, mean: value, m2: 0, min: value, max: value };
  const n = series.n + 1;
  const step = value - series.mean;
  const mean = series.mean + step / n;
  return {
    n,
    mean,
    m2: series.m2 + step * (value - mean),
    min: Math.min(series.min, value),
    max: Math.max(series.max, value),
  };
}

/** The series of all values of a list. */
export function seriesOf(values: readonly number[]): Series {
  return values.reduce(addValue, EMPTY_SERIES);
}

/** Sample standard deviation; 0 for fewer than two values. */
export function sd(series: Series): number {
  return series.n < 2 || series.min === series.max ? 0 : Math.sqrt(series.m2 / (series.n - 1));
}

/** True if the series has two or more values and all are identical. Such values count as one measurement. */
export function isConstant(series: Series): boolean {
  return series.n > 1 && series.min === series.max;
}

/** Skewness and excess kurtosis of a sample (bias-corrected G1 and G2); zeros if n < 4 or all values are equal. */
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
