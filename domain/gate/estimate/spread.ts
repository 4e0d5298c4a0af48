import { isConstant, sd, shape, type Series } from '../../statistics/series.ts';
import { noiseSd } from '../subject.ts';
import type { GateState } from '../types.ts';
import { runsByCandidate } from './correlation.ts';

/** Number of runs from which a candidate's own spread is used, instead of the spread that all candidates share. */
const RUNS_FOR_OWN_SPREAD = 6;
/** Excess kurtosis from which the tails of the noise are heavy. Of normal samples of 10 runs, 3 % exceed it. */
export const HEAVY = 3.4;

/** Variance of one run, and its degrees of freedom. */
export interface Spread {
  variance: number;
  df: number;
}

/**
 * Spread of one run of a candidate, from its runs. If the noise has heavy tails, a candidate without a bad run so far
 * looks less noisy than it is: its spread is then at least the shared one.
 */
export function spreadOf(state: GateState, runs: Series): Spread {
  const shared = { variance: noiseSd(state) ** 2, df: Math.max(2, state.noise.df) };
  if (runs.n < RUNS_FOR_OWN_SPREAD || isConstant(runs)) return shared;
  const own = { variance: sd(runs) ** 2, df: runs.n - 1 };
  return shared.variance > own.variance && hasHeavyTails(state) ? shared : own;
}

const hasHeavyTails = (state: GateState): boolean =>
  runsByCandidate(state).some((values) => shape(values).kurtosis > HEAVY);
