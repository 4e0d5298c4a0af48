import { isConstant, type Series } from '../../statistics/series.ts';
import { findSubject } from '../subject.ts';
import type { GateState } from '../types.ts';
import { runsByCandidate, varianceFactor } from './correlation.ts';
import type { Estimate } from './interval.ts';
import { RUNS_AFTER_CLAIM } from './runs-after-claim.ts';
import { spreadOf } from './spread.ts';

/** True if the incumbent has all its runs after the claim. */
export function hasRunsAfter(state: GateState): boolean {
  const after = findSubject(state, state.incumbentId)?.after;
  return state.incumbentId !== state.baselineId && (after?.n ?? 0) >= RUNS_AFTER_CLAIM;
}

/**
 * Estimate of the incumbent's value; null before its first run. Runs that won a claim are lucky ones. So the mean is
 * that of the runs after the claim once all of them are there, else that of all fresh runs. The spread is that of all
 * fresh runs.
 */
export function estimateIncumbent(state: GateState): Estimate | null {
  if (state.incumbentId === state.baselineId) return estimateBaseline(state);
  const incumbent = findSubject(state, state.incumbentId);
  if (!incumbent) return null;
  const { fresh, after } = incumbent;
  return estimateOf(state, { mean: after && hasRunsAfter(state) ? after : fresh, spread: fresh });
}

/** Estimate of the value of the unmodified version, from all its runs; null before its first run. */
export const estimateBaseline = (state: GateState): Estimate | null =>
  estimateOf(state, { mean: state.baseline.series, spread: state.baseline.series });

function estimateOf(state: GateState, runs: { mean: Series; spread: Series }): Estimate | null {
  const { mean, n } = runs.mean;
  if (n === 0) return null;
  // Identical runs count as one in the variance, but texts state their number.
  const independent = isConstant(runs.spread) ? 1 : n;
  const { variance, df } = spreadOf(state, runs.spread);
  const factor = varianceFactor(runsByCandidate(state));
  return { mean, variance: (variance * factor) / independent, df: Math.max(2, df / factor), n };
}
