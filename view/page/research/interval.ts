import { halfWidthOf } from '../../../domain/gate/estimate/interval.ts';
import { claim } from '../../../domain/gate/gate.ts';
import { noiseSd } from '../../../domain/gate/subject.ts';
import type { GateState } from '../../../domain/gate/types.ts';
import type { MeasuredCandidate } from '../../standing.ts';

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

/** The value of a measured candidate with its 95 % interval. */
export const intervalOf = ({ value, sd, n, low, high }: MeasuredCandidate): WithInterval => ({
  value,
  sd,
  n,
  low,
  high,
});

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
  return asMade(made, { sd: noiseSd(gate), df: gate.noise.df });
}

/** The interval of a mean of a candidate's runs, by the rule for claims as they were made. */
export const intervalAround = (mean: Mean, gate: GateState): WithInterval =>
  asMade(mean.n < RUNS_FOR_OWN_SD ? { ...mean, sd: noiseSd(gate) || null } : mean, {
    sd: noiseSd(gate),
    df: gate.noise.df,
  });

/**
 * A stored claim. From three runs on, the degrees of freedom are those of its own runs, else those of the sd that all
 * candidates share. If its runs are identical and others vary, they count as one run with the shared sd, as in the
 * estimate of the present claim. The bounds are null if the noise is unknown, or if no run varied.
 */
function asMade({ value, sd, n }: Mean, shared: { sd: number; df: number }): WithInterval {
  if (sd === 0 && shared.sd > 0) {
    const half = halfWidthOf({ variance: shared.sd ** 2, df: shared.df });
    return { value, sd: shared.sd, n, low: value - half, high: value + half };
  }
  const df = n >= RUNS_FOR_OWN_SD ? n - 1 : shared.df;
  const half = sd === null || !(df > 0) || n < 1 ? 0 : halfWidthOf({ variance: sd ** 2 / n, df });
  return half === 0 ? { value, sd, n, low: null, high: null } : { value, sd, n, low: value - half, high: value + half };
}
