import { neighbourMoments } from '../../statistics/neighbour-correlation.ts';
import { findSubject } from '../subject.ts';
import type { GateState } from '../types.ts';

/** Largest correlation that is believed: beyond it, a few dozen runs hardly tell how many of them are independent. */
const LARGEST = 0.9;

/** Stored runs of the unmodified version and of the incumbent, each in the order in which they ended. */
export function runsByCandidate(state: GateState): (readonly number[])[] {
  const { baselineId, incumbentId, baseline } = state;
  const incumbent = incumbentId === baselineId ? undefined : findSubject(state, incumbentId);
  return incumbent ? [baseline.values, incumbent.values] : [baseline.values];
}

/**
 * Factor by which the correlation of successive runs enlarges the variance of a mean: n runs count as n / factor. The
 * factor is (1 + ρ) / (1 − ρ) for a first-order autoregression (Bayley and Hammersley, J. R. Statist. Soc. Suppl. 8,
 * 1946). ρ is the correlation of neighbours, pooled over the candidates. Around estimated means it is too low by
 * (1 + 3ρ) / n for each candidate (Marriott and Pope, Biometrika 41, 1954), which is added. A correlation below its
 * standard error of independent runs counts as 0.
 */
export function varianceFactor(candidates: readonly (readonly number[])[]): number {
  let [squares, products, n, means] = [0, 0, 0, 0];
  for (const values of candidates) {
    const moments = neighbourMoments(values);
    if (moments.squares === 0) continue;
    squares += moments.squares;
    products += moments.products;
    n += values.length;
    means += 1;
  }
  const found = squares > 0 ? products / squares : 0;
  if (found * Math.sqrt(n) <= 1) return 1;
  const rho = Math.min(LARGEST, found + (means * (1 + 3 * found)) / n);
  return (1 + rho) / (1 - rho);
}
