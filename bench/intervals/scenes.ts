import type { Noise } from '../verdicts/noise.ts';
import type { Hill } from '../verdicts/simulate.ts';

/** Researches of one kind, whose claims have intervals. */
export interface Scene {
  name: string;
  noise: Noise;
  hill: Hill;
  /** Mean and standard deviation of one run's noise: 0 and 1 if missing. */
  noiseMean?: number;
  noiseSd?: number;
  /** Expected false claims per 200 trials; the default of the tables if missing. */
  falseKeepsPer200?: number;
}

const LARGE: Hill = { share: 0.1, size: 2 };
const SMALL: Hill = { share: 0.1, size: 1 };
/** One run in 20 is 10 sd worse: the mean is .5 lower, the variance 1 + .05 · .95 · 100. */
const BAD_RUNS = { noiseMean: -0.5, noiseSd: Math.sqrt(5.75) };

export const SCENES: readonly Scene[] = [
  { name: 'normal', noise: 'normal', hill: LARGE },
  { name: 'normal, small gains', noise: 'normal', hill: SMALL },
  { name: 't3', noise: 't3', hill: LARGE },
  { name: 'grows with the loss', noise: 'grows with the loss', hill: LARGE },
  { name: 'steps of 1 sd', noise: 'steps of 1 sd', hill: LARGE },
  { name: '1 in 20 runs bad', noise: '1 in 20 runs 10 sd bad', hill: { share: 0.1, size: 4.8 }, ...BAD_RUNS },
  { name: 'exponential, good tail', noise: 'exponential', hill: LARGE },
  { name: 'sd of a candidate .25 to 4', noise: 'sd of a candidate .25 to 4', hill: LARGE },
  { name: 'the same, small gains', noise: 'sd of a candidate .25 to 4', hill: SMALL },
  { name: 'correlation .5', noise: 'ar1', hill: LARGE },
  { name: 'correlation .8', noise: 'correlation .8', hill: LARGE },
  // With the usual account hardly any claim is false. This account makes enough of them for a figure.
  { name: 'false claims only', noise: 'normal', hill: 'A/A', falseKeepsPer200: 4 },
];
