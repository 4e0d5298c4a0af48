/** Sufficient statistics of a list of finite numbers; `m2` is the sum of squared deviations. Plain JSON. */
export interface Series {
  n: number;
  mean: number;
  m2: number;
  min: number;
  max: number;
}

export const EMPTY: Series = { n: 0, mean: 0, m2: 0, min: 0, max: 0 };

/** The series with one more value (Welford, stable far from zero). */
export function add(series: Series, value: number): Series {
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
  return values.reduce(add, EMPTY);
}

/** Sample standard deviation; 0 for fewer than two values. */
export function sd(series: Series): number {
  return series.n < 2 || series.min === series.max ? 0 : Math.sqrt(series.m2 / (series.n - 1));
}

/** True where two or more values are the same to the last bit: they count as one. */
export function isConstant(series: Series): boolean {
  return series.n > 1 && series.min === series.max;
}
