import type { Random } from '../../domain/statistics/random.ts';

/** A run as its noise depends on it. */
export interface NoisyRun {
  candidateId: string;
  /** True value of the candidate, in sd of one run; the baseline's is 0. */
  truth: number;
}

/** Draws the noise of a run. Calls are in the order in which the runs start. */
type NoiseStream = (run: NoisyRun) => number;

/** Steps of a discrete metric, in sd of the underlying noise. */
const rounded =
  (step: number) =>
  (random: Random): NoiseStream =>
  ({ truth }) =>
    Math.round((truth + random.normal()) / step) * step - truth;

/** Ties with a few exceptions: noise of `sd` steps around a mean `place` steps above a value of the metric. */
const tied =
  (sd: number, place: number) =>
  (random: Random): NoiseStream =>
  ({ truth }) =>
    Math.round(truth + place + sd * random.normal()) - truth;

const autoregressive =
  (correlation: number) =>
  (random: Random): NoiseStream => {
    let last = random.normal();
    return () => {
      last = correlation * last + Math.sqrt(1 - correlation ** 2) * random.normal();
      return last;
    };
  };

const student =
  (df: number, scale: number) =>
  (random: Random): NoiseStream =>
  () => {
    let chi = 0;
    for (let i = 0; i < df; i += 1) chi += random.normal() ** 2;
    return (random.normal() / Math.sqrt(chi / df)) * scale;
  };

/** A value for each candidate, drawn when it is first run. */
function perCandidate(draw: () => number): (candidateId: string) => number {
  const drawn = new Map<string, number>();
  return (candidateId) => {
    const known = drawn.get(candidateId) ?? draw();
    drawn.set(candidateId, known);
    return known;
  };
}

/** Noise of successive runs, of sd 1 unless its comment says otherwise. Greater values are better. */
const TABLE = {
  normal: (random) => () => random.normal(),
  t3: student(3, 1 / Math.sqrt(3)),
  exponential: (random) => () => -Math.log(1 - random.uniform()) - 1,
  ar1: autoregressive(0.5),
  // Rises by 1 sd in 200 runs, so that later candidates look better.
  drift: (random) => {
    let runs = 0;
    return () => {
      runs += 1;
      return random.normal() + runs / 200;
    };
  },
  // Its variance is infinite.
  t2: student(2, 1),
  'exponential, bad tail': (random) => () => Math.log(1 - random.uniform()) + 1,
  'log-normal, bad tail': (random) => () => (Math.exp(0.5) - Math.exp(random.normal())) / 2.16,
  '1 in 20 runs 10 sd bad': (random) => () => random.normal() - (random.uniform() < 0.05 ? 10 : 0),
  '1 in 20 runs 10 sd good': (random) => () => random.normal() + (random.uniform() < 0.05 ? 10 : 0),
  'sd of a candidate .25 to 4': (random) => {
    const sdOf = perCandidate(() => 4 ** (2 * random.uniform() - 1));
    return ({ candidateId }) => sdOf(candidateId) * random.normal();
  },
  'correlation .8': autoregressive(0.8),
  'correlation .95': autoregressive(0.95),
  'batches of 4 share half': (random) => {
    let [runs, shared] = [0, 0];
    return () => {
      if (runs % 4 === 0) shared = random.normal();
      runs += 1;
      return Math.SQRT1_2 * (shared + random.normal());
    };
  },
  // Slots differ by up to 4.5 sd.
  'four unequal slots': (random) => () => random.normal() + random.below(4) * 1.5,
  'drift, 1 sd in 100 runs': (random) => {
    let runs = 0;
    return () => {
      runs += 1;
      return random.normal() + runs / 100;
    };
  },
  'step of 2 sd at run 30': (random) => {
    let runs = 0;
    return () => {
      runs += 1;
      return random.normal() + (runs > 30 ? 2 : 0);
    };
  },
  'one of 5 folds': (random) => {
    const folds = Array.from({ length: 5 }, () => random.normal());
    return () => folds[random.below(5)] ?? 0;
  },
  'grows with the value':
    (random) =>
    ({ truth }) =>
      random.normal() * Math.max(0.25, 1 + truth / 4),
  'grows with the loss':
    (random) =>
    ({ truth }) =>
      random.normal() * Math.max(0.25, 1 - truth / 4),
  'steps of sd / 3': rounded(1 / 3),
  'steps of 1 sd': rounded(1),
  // The share of runs that differ from most, all by one step.
  '1 run in 4 differs': tied(0.3, 0.3),
  '1 run in 11 differs': tied(0.15, 0.3),
  '1 run in 160 differs': tied(0.1, 0.25),
  none: () => () => 0,
  // Candidates of equal mean, of whose runs 0 to 20 % are 10 sd bad.
  gamblers: (random) => {
    const shareOf = perCandidate(() => 0.2 * random.uniform());
    return ({ candidateId }) => {
      const share = shareOf(candidateId);
      return random.normal() + 10 * share - (random.uniform() < share ? 10 : 0);
    };
  },
} as const satisfies Record<string, (random: Random) => NoiseStream>;

export type Noise = keyof typeof TABLE;

/** The noises of the tables of docs/experiments/0002. */
export const NOISES = ['normal', 't3', 'exponential', 'ar1', 'drift'] as const satisfies readonly Noise[];
/** All noises. */
export const ALL_NOISES = Object.keys(TABLE) as Noise[];

export const noiseStream = (noise: Noise, random: Random): NoiseStream => TABLE[noise](random);
