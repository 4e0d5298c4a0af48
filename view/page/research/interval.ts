import { upperQuantile } from '../../../domain/statistics/student-t.ts';

/** A mean of `n` runs; `sd` is the standard deviation of one run. */
export interface Mean {
  value: number;
  sd: number | null;
  n: number;
}

export interface WithInterval extends Mean {
  low: number | null;
  high: number | null;
}

/** Number of runs from which a mean has an sd of its own. */
const RUNS_FOR_OWN_SD = 3;

/**
 * A mean with its 95 % interval by Student's t. From three runs on, the degrees of freedom are those of its own runs,
 * else those of the sd that all candidates share (`sharedDf`). The bounds are null if the noise is unknown.
 */
export function withInterval({ value, sd, n }: Mean, sharedDf: number): WithInterval {
  const df = n >= RUNS_FOR_OWN_SD ? n - 1 : sharedDf;
  if (sd === null || !(df > 0) || n < 1) return { value, sd, n, low: null, high: null };
  const reach = sd === 0 ? 0 : (upperQuantile(0.025, df) * sd) / Math.sqrt(n);
  return { value, sd, n, low: value - reach, high: value + reach };
}
