import { binomialInterval } from '../../domain/statistics/binomial-interval.ts';
import type { Cell } from '../support/table.ts';
import { configOf } from './measure.ts';
import type { Noise } from './noise.ts';
import { simulate, type Hill } from './simulate.ts';

/** Confidence of each bound of a two-sided interval of 95 %. */
const CONFIDENCE = 0.975;
/** Noises under which most or many runs of a candidate tie. */
export const TIED_NOISES = [
  '1 run in 4 differs',
  '1 run in 11 differs',
  '1 run in 160 differs',
  'steps of 1 sd',
] as const satisfies readonly Noise[];
export const BASELINE_RUNS = [3, 6, 10] as const;

export interface TiedScene {
  noise: Noise;
  trials: number;
  baselineRuns: number;
}

/** Plays researches of equal candidates; counts those with a false claim, with the exact upper bound of their share. */
export function claimsOnTies({ noise, trials, baselineRuns }: TiedScene, repeats: number) {
  const config = { ...configOf('lead'), baselineRuns };
  let [researches, runs] = [0, 0];
  for (let i = 0; i < repeats; i += 1) {
    const result = simulate({ hill: 'A/A', noise, config, searches: trials, window: 4, seed: 50_000 + i });
    if (result.falseKeeps > 0) researches += 1;
    runs += result.runs;
  }
  const { high: upper } = binomialInterval(researches, repeats, CONFIDENCE);
  return { researches, upper, runs: runs / repeats };
}

export const TIES_HEAD = ['noise', 'baseline runs', 'trials', 'with a false claim', 'upper 95 %', 'runs'];

/** Rows of a table of false claims on metrics whose runs mostly tie. */
export const tiedRows = (repeats: number): Cell[][] =>
  TIED_NOISES.flatMap((noise) =>
    BASELINE_RUNS.flatMap((baselineRuns) =>
      [20, 60].map((trials) => {
        const { researches, upper, runs } = claimsOnTies({ noise, trials, baselineRuns }, repeats);
        return [noise, baselineRuns, trials, researches, upper.toFixed(3), runs.toFixed(1)];
      }),
    ),
  );

/** Claims on a metric without noise, and runs beyond baseline and trials. */
export function costOfExactClaims(hill: Hill, repeats: number): { claims: number; runs: number } {
  let [claims, runs] = [0, 0];
  for (let i = 0; i < repeats; i += 1) {
    const config = configOf('lead');
    const result = simulate({ hill, noise: 'none', config, searches: 60, window: 4, seed: 60_000 + i });
    claims += result.keeps;
    runs += result.runs - result.baselineRuns - result.searches;
  }
  return { claims, runs };
}

const EXACT_HILLS = [
  { name: '10 % of 1', hill: { share: 0.1, size: 1 } },
  { name: '30 % of 10', hill: { share: 0.3, size: 10 } },
] as const;

export const EXACT_HEAD = ['gains', 'claims', 'runs beyond baseline and trials', 'runs a claim'];

/** Rows of a table of what claims cost without noise. */
export const exactRows = (repeats: number): Cell[][] =>
  EXACT_HILLS.map(({ name, hill }) => {
    const { claims, runs } = costOfExactClaims(hill, repeats);
    return [name, claims, runs, (runs / claims).toFixed(2)];
  });
