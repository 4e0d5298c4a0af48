import type { Random } from '../../statistics/random.ts';
import type { Credit } from './arm.ts';

/** Probability with which each arm is chosen without regard to its credit. */
const FLOOR = 0.02;
/** Least cost of an arm, as a share of the mean: an arm that costs nothing must not be chosen without end. */
const LEAST_COST = 0.5;

/** Cost by which rewards are divided: seconds on slots, USD of model calls, or nothing. */
export type Cost = 'seconds' | 'usd' | 'none';

/**
 * Chooses an arm by Thompson sampling over reward per cost; returns its index. With the probability `FLOOR` for each
 * arm it draws evenly. Else it draws θ from Beta(1 + Σ reward, 1 + n − Σ reward) for each arm, and takes the largest
 * θ / cost.
 *
 * Source: Thompson sampling for rewards in [0, 1] (Agrawal and Goyal, COLT 2012), divided by cost as in budgeted
 * bandits (Xia et al., IJCAI 2015). The floor and the shrunken costs are of this project.
 */
export function sampleThompson(credits: readonly Credit[], { random, cost }: { random: Random; cost: Cost }): number {
  if (random.uniform() < FLOOR * credits.length) return random.below(credits.length);
  const costs = shrunkenCosts(credits, cost);
  const draws = credits.map(({ trials, reward }, index) => {
    const theta = drawBeta(1 + reward, 1 + Math.max(0, trials - reward), random);
    return theta / (costs[index] ?? 1);
  });
  return draws.indexOf(Math.max(...draws));
}

/**
 * Mean costs of a trial of each arm, relative to c̄, the cost of a scored trial over all arms. Each arm has one further
 * trial of cost c̄. A trial without a score costs c̄ on top of its own cost: otherwise an arm whose trials all fail at
 * once would be cheap for ever.
 */
export function shrunkenCosts(credits: readonly Credit[], cost: Cost): number[] {
  if (cost === 'none') return credits.map(() => 1);
  const total = credits.reduce((sum, credit) => sum + credit[cost], 0);
  const scored = credits.reduce((sum, credit) => sum + credit.scored, 0);
  const mean = total / scored;
  if (!Number.isFinite(mean) || mean <= 0) return credits.map(() => 1);
  return credits.map((credit) => {
    const further = 1 + Math.max(0, credit.trials - credit.scored);
    return Math.max(LEAST_COST, (credit[cost] / mean + further) / (credit.trials + 1));
  });
}

function drawBeta(a: number, b: number, random: Random): number {
  const one = drawGamma(a, random);
  return one / (one + drawGamma(b, random));
}

/** Draws from Gamma(shape, 1), shape ≥ 1. Source: Marsaglia and Tsang, ACM TOMS 26, 2000. */
function drawGamma(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = random.normal();
    const v = (1 + c * normal) ** 3;
    if (v <= 0) continue;
    if (Math.log(1 - random.uniform()) < 0.5 * normal ** 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
