import { halfWidthOf } from '../../../domain/gate/estimate/interval.ts';
import { claim } from '../../../domain/gate/gate.ts';
import type { GateState } from '../../../domain/gate/types.ts';

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

/** Number of runs from which a stored claim has an sd of its own. */
const RUNS_FOR_OWN_SD = 3;

/**
 * A claim with its 95 % interval. The present claim has the estimate that every surface shows. A claim that another one
 * replaced is as it was made: the mean of the runs that won it. `isPresent`: the last claim by the present metric.
 */
export function claimWithInterval(
  made: Mean & { candidateId: string },
  { gate, isPresent }: { gate: GateState; isPresent: boolean },
): WithInterval {
  const { candidateId, mean, sd, n, low, high } = claim(gate);
  if (isPresent && candidateId === made.candidateId && mean !== null) return { value: mean, sd, n, low, high };
  return asMade(made, gate.noise.df);
}

/**
 * A stored claim. From three runs on, the degrees of freedom are those of its own runs, else those of the sd that all
 * candidates share (`sharedDf`). The bounds are null if the noise is unknown.
 */
function asMade({ value, sd, n }: Mean, sharedDf: number): WithInterval {
  const df = n >= RUNS_FOR_OWN_SD ? n - 1 : sharedDf;
  if (sd === null || !(df > 0) || n < 1) return { value, sd, n, low: null, high: null };
  const half = halfWidthOf({ variance: sd ** 2 / n, df });
  return { value, sd, n, low: value - half, high: value + half };
}
