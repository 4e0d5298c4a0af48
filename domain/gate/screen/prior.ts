import { normalDensity } from '../../statistics/normal.ts';
import type { Belief } from '../types.ts';

/** Grid of true gains over the parent, in sd of one run. */
const STEP = 0.25;
const LOWEST = -6;
const GRID: readonly number[] = Array.from({ length: 49 }, (_, i) => LOWEST + STEP * i);

/** Prior of a task before its first trial, as weights over the grid: most edits harm or do nothing, some help. */
export function initialPrior(): number[] {
  const raw = GRID.map((g) => {
    if (g === 0) return 0.3;
    return g > 0 ? 0.15 * (Math.exp(-g / 0.8) / 2.7) : 0.55 * (Math.exp(g / 1.5) / 5.5);
  });
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((w) => w / total);
}

const FIRST = initialPrior();
/** Share of the initial prior that always remains. */
const HOPE = 0.35;

/**
 * Mixes the learned prior with the initial one. Otherwise, under an overestimated lead, all later candidates look like
 * losses, the prior learns that nothing helps, and the search stands still (measured: a tenth of all researches).
 */
export function mixWithInitialPrior(weights: readonly number[]): number[] {
  return weights.map((w, k) => (1 - HOPE) * w + HOPE * (FIRST[k] ?? 0));
}

/** Evidence about a candidate: `base` is its parent's value; `mean` is the mean of its runs, with its `variance`. */
export interface CandidateEvidence {
  base: Belief;
  mean: number;
  variance: number;
  /** Sd of one run. */
  noise: number;
}

/** Observed gain over the parent, in sd of one run. */
const gapOf = (evidence: CandidateEvidence): number => (evidence.mean - evidence.base.mean) / evidence.noise;

/** True if the observed gain is beyond the grid: the prior says nothing there, so the observation counts as it is. */
const isOffGrid = (evidence: CandidateEvidence): boolean => Math.abs(gapOf(evidence)) > -LOWEST;

/** Posterior weights of the gain over the parent, on the grid. A gain beyond the grid counts as its edge. */
export function posterior(weights: readonly number[], evidence: CandidateEvidence): number[] {
  const spread = Math.sqrt(evidence.base.variance + evidence.variance) / evidence.noise;
  const gap = gapOf(evidence);
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

/** Belief about a candidate's gain over its parent, from its posterior weights, in the metric's units. */
export function gainBelief(weights: readonly number[], evidence: CandidateEvidence): Belief {
  const { base, mean, variance, noise } = evidence;
  if (!isOffGrid(evidence)) return gainMoments(weights, noise);
  return { mean: mean - base.mean, variance: base.variance + variance };
}

/** Belief about a candidate's own value: for each gain on the grid, its runs also update the parent's value. */
export function valueBelief(weights: readonly number[], evidence: CandidateEvidence): Belief {
  const { base, noise } = evidence;
  if (isOffGrid(evidence)) return { mean: evidence.mean, variance: evidence.variance };
  const trust = base.variance / (base.variance + evidence.variance);
  let mean = 0;
  let square = 0;
  weights.forEach((w, k) => {
    const expected = base.mean + (GRID[k] ?? 0) * noise;
    const value = expected + trust * (evidence.mean - expected);
    mean += w * value;
    square += w * (value - base.mean) ** 2;
  });
  const off = mean - base.mean;
  return { mean, variance: Math.max(0, square - off * off) + base.variance * (1 - trust) };
}

/** The prior after one more candidate (Newton's predictive recursion). The rate never falls below 0.01. */
export function updatePrior(
  prior: { weights: number[]; n: number },
  weights: readonly number[],
): { weights: number[]; n: number } {
  const n = prior.n + 1;
  const rate = Math.max(0.01, 1 / (6 + n) ** 0.75);
  return { n, weights: prior.weights.map((w, k) => (1 - rate) * w + rate * (weights[k] ?? 0)) };
}

/** Expected gain, in sd of one run, of one more search trial judged by a single run: the price of any other run. */
export function worthOfSearch(weights: readonly number[], spread: number): number {
  let worth = 0;
  for (let observed = -3; observed <= 7; observed += 0.5) {
    let gain = 0;
    weights.forEach((w, k) => {
      const g = GRID[k] ?? 0;
      gain += w * g * normalDensity((observed - g) / spread);
    });
    worth += Math.max(0, gain / spread) * 0.5;
  }
  return worth;
}
