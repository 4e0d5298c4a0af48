import { sd, seriesOf } from './series.ts';
import { upperQuantile } from './student-t.ts';

/** The mean of values with its 95 % interval. */
export interface MeanInterval {
  n: number;
  /** Null without values. */
  mean: number | null;
  /** Standard deviation of one value; null for fewer than two. */
  sd: number | null;
  /** Bounds by Student's t; null for fewer than two values, and if all are equal. */
  low: number | null;
  high: number | null;
}

/** The mean of independent values, with the 95 % interval by Student's t. */
export function meanInterval(values: readonly number[]): MeanInterval {
  const series = seriesOf(values);
  const { n, mean } = series;
  if (n < 2) return { n, mean: n === 0 ? null : mean, sd: null, low: null, high: null };
  const spread = sd(series);
  if (spread === 0) return { n, mean, sd: 0, low: null, high: null };
  const half = (upperQuantile(0.025, n - 1) * spread) / Math.sqrt(n);
  return { n, mean, sd: spread, low: mean - half, high: mean + half };
}
