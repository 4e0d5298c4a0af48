import { upperQuantile } from '../../../domain/statistics/student-t.ts';

/** A mean of some runs; `sd` is that of one run. */
export interface Mean {
  value: number;
  sd: number | null;
  n: number;
}

export interface WithInterval extends Mean {
  low: number | null;
  high: number | null;
}

/** Runs from which on a mean has an sd of its own. */
const OWN = 3;

/**
 * A mean with its interval of 95 %, by Student's t: with the degrees of freedom of its own runs from three on, else with
 * those of the sd that all candidates share. No interval where no noise is known yet.
 */
export function withInterval({ value, sd, n }: Mean, sharedDf: number): WithInterval {
  const df = n >= OWN ? n - 1 : sharedDf;
  if (sd === null || !(df > 0) || n < 1) return { value, sd, n, low: null, high: null };
  const reach = sd === 0 ? 0 : (upperQuantile(0.025, df) * sd) / Math.sqrt(n);
  return { value, sd, n, low: value - reach, high: value + reach };
}
