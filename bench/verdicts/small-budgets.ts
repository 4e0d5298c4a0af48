import { defaultBaselineRuns } from '../../domain/gate/default-baseline-runs.ts';
import { binomialInterval } from '../../domain/statistics/binomial-interval.ts';
import type { Cell } from '../support/table.ts';
import { configOf } from './measure.ts';
import { ALL_NOISES, type Noise } from './noise.ts';
import { simulate, type Hill } from './simulate.ts';

/** Confidence of each bound of a two-sided interval of 95 %. */
const CONFIDENCE = 0.975;

/** Equal candidates; for noise that depends on the value, candidates that gain nothing or lose. */
const hillOf = (noise: Noise): Hill => (noise.startsWith('grows') ? { share: 0, size: 0, nothing: 0.3 } : 'A/A');

export interface FalseClaims {
  noise: Noise;
  trials: number;
  /** Researches with at least one false claim. */
  researches: number;
  /** Upper bound of their share, exact, of a two-sided interval of 95 %. */
  upper: number;
  /** Baseline runs of a research, as a mean: ties add some. */
  baselineRuns: number;
}

/** Plays researches with a small budget of trials, whose number of baseline runs follows from the budget. */
export function falseClaims(noise: Noise, trials: number, repeats: number): FalseClaims {
  const config = { ...configOf('lead'), ...defaultBaselineRuns('noise-gated', trials) };
  let [researches, baselineRuns] = [0, 0];
  for (let i = 0; i < repeats; i += 1) {
    const scene = { hill: hillOf(noise), noise, config, searches: trials, window: 4, seed: 30_000 + i };
    const { falseKeeps, baselineRuns: runs } = simulate(scene);
    if (falseKeeps > 0) researches += 1;
    baselineRuns += runs;
  }
  const { high: upper } = binomialInterval(researches, repeats, CONFIDENCE);
  return { noise, trials, researches, upper, baselineRuns: baselineRuns / repeats };
}

export const SMALL_BUDGET_HEAD = ['noise', 'trials', 'baseline runs', 'with a false claim', 'upper 95 %'];

/** Rows of a table of false claims, of researches with 20 and 39 trials. */
export const smallBudgetRows = (repeats: number): Cell[][] =>
  ALL_NOISES.flatMap((noise) =>
    [20, 39].map((trials) => {
      const { researches, upper, baselineRuns } = falseClaims(noise, trials, repeats);
      return [noise, trials, baselineRuns.toFixed(1), researches, upper.toFixed(3)];
    }),
  );
