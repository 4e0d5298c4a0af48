import { normalDensity } from '../../statistics/normal.ts';
import type { Belief } from '../types.ts';

/** True gains over the parent that are told apart, in sd of one run. */
const STEP = 0.25;
const LOWEST = -6;
const GRID: readonly number[] = Array.from({ length: 49 }, (_, i) => LOWEST + STEP * i);

/** What is believed of a task before its first trial: most edits harm or do nothing, some help. Weights over the grid. */
export function initialPrior(): number[] {
  const raw = GRID.map((g) => {
    if (g === 0) return 0.3;
    return g > 0 ? 0.15 * (Math.exp(-g / 0.8) / 2.7) : 0.55 * (Math.exp(g / 1.5) / 5.5);
  });
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((w) => w / total);
}

const FIRST = initialPrior();
/** Share of the first belief that no drought takes away. */
const HOPE = 0.35;

/**
 * The learned prior with some of the first one in it. Without it a lead that is overestimated makes all that follows look
 * like a loss, the prior learns that nothing helps, and the search stands still (measured: a tenth of all researches).
 */
export function mixWithInitialPrior(weights: readonly number[]): number[] {
  return weights.map((w, k) => (1 - HOPE) * w + HOPE * (FIRST[k] ?? 0));
}

/** What one candidate's runs say: `base` is its parent's value, `mean` and `variance` that of the runs' mean. */
export interface CandidateEvidence {
  base: Belief;
  mean: number;
  variance: number;
  /** Sd of one run. */
  noise: number;
}

/** What was seen of the gain over the parent, in sd of one run. */
const gapOf = (seen: CandidateEvidence): number => (seen.mean - seen.base.mean) / seen.noise;

/** Beyond the grid the prior says nothing: what was seen stands for itself. */
const isOffGrid = (seen: CandidateEvidence): boolean => Math.abs(gapOf(seen)) > -LOWEST;

/** Posterior weights of the gain over the parent, on the grid; what is off it is learned as its edge. */
export function posterior(weights: readonly number[], seen: CandidateEvidence): number[] {
  const spread = Math.sqrt(seen.base.variance + seen.variance) / seen.noise;
  const gap = gapOf(seen);
  const inside = Math.min(Math.max(gap, LOWEST), -LOWEST);
  const raw = weights.map((w, k) => w * normalDensity((inside - (GRID[k] ?? 0)) / spread));
  const total = raw.reduce((a, b) => a + b, 0);
  return total > 0 ? raw.map((w) => w / total) : [...weights];
}

/** Mean and variance of the gains on the grid under these weights, in the metric's units. */
export function gainMoments(weights: readonly number[], noise: number): Belief {
  let mean = 0;
  let square = 0;
  weights.forEach((w, k) => {
    const g = (GRID[k] ?? 0) * noise;
    mean += w * g;
    square += w * g * g;
  });
  return { mean, variance: Math.max(0, square - mean * mean) };
}

/** Belief about the gain over the parent of a candidate whose posterior weights these are, in the metric's units. */
export function gainBelief(weights: readonly number[], seen: CandidateEvidence): Belief {
  if (!isOffGrid(seen)) return gainMoments(weights, seen.noise);
  return { mean: seen.mean - seen.base.mean, variance: seen.base.variance + seen.variance };
}

/** Belief about the candidate's own value: each gain on the grid, with what the runs say of the parent under it. */
export function valueBelief(weights: readonly number[], seen: CandidateEvidence): Belief {
  if (isOffGrid(seen)) return { mean: seen.mean, variance: seen.variance };
  const trust = seen.base.variance / (seen.base.variance + seen.variance);
  let mean = 0;
  let square = 0;
  weights.forEach((w, k) => {
    const expected = seen.base.mean + (GRID[k] ?? 0) * seen.noise;
    const value = expected + trust * (seen.mean - expected);
    mean += w * value;
    square += w * (value - seen.base.mean) ** 2;
  });
  const off = mean - seen.base.mean;
  return { mean, variance: Math.max(0, square - off * off) + seen.base.variance * (1 - trust) };
}

/** The prior after one more candidate (Newton's predictive recursion); it never quite stops learning. */
export function updatePrior(
  prior: { weights: number[]; n: number },
  weights: readonly number[],
): { weights: number[]; n: number } {
  const n = prior.n + 1;
  const rate = Math.max(0.01, 1 / (6 + n) ** 0.75);
  return { n, weights: prior.weights.map((w, k) => (1 - rate) * w + rate * (weights[k] ?? 0)) };
}

/** Expected gain, in sd of one run, of one more search trial judged by a single run: what a run is worth elsewhere. */
export function worthOfSearch(weights: readonly number[], spread: number): number {
  let worth = 0;
  for (let seen = -3; seen <= 7; seen += 0.5) {
    let gain = 0;
    weights.forEach((w, k) => {
      const g = GRID[k] ?? 0;
      gain += w * g * normalDensity((seen - g) / spread);
    });
    worth += Math.max(0, gain / spread) * 0.5;
  }
  return worth;
}
