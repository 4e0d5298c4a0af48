import { upperQuantile } from '../../statistics/student-t.ts';

/** A mean, its variance and the degrees of freedom of the variance. Greater means are better. */
export interface Estimate {
  mean: number;
  variance: number;
  df: number;
  /** Number of runs in the mean, identical ones included. */
  n: number;
}

/** Half of the 95 % interval of an estimate, by Student's t; 0 if nothing varies. */
export const halfWidthOf = ({ variance, df }: Pick<Estimate, 'variance' | 'df'>): number =>
  variance > 0 ? upperQuantile(0.025, df) * Math.sqrt(variance) : 0;

/** Difference of two estimates with unequal variances. Its degrees of freedom are those of Welch and Satterthwaite. */
export function differenceOf(a: Estimate, b: Estimate): Estimate {
  const variance = a.variance + b.variance;
  const df = variance > 0 ? variance ** 2 / (a.variance ** 2 / a.df + b.variance ** 2 / b.df) : a.df;
  return { mean: a.mean - b.mean, variance, df, n: a.n };
}
