import type { Random } from '../../domain/statistics/random.ts';

/** Noise of successive runs, with sd 1; `drift` has a slow rise, too. */
export const NOISES = ['normal', 't3', 'exponential', 'ar1', 'drift'] as const;
export type Noise = (typeof NOISES)[number];

/** A stream of noise. `drift` rises by 1 sd in 200 runs, so that later candidates look better. */
export function noiseStream(noise: Noise, random: Random): () => number {
  let last = random.normal();
  let runs = 0;
  switch (noise) {
    case 'normal':
      return () => random.normal();
    case 't3':
      return () => {
        const chi = random.normal() ** 2 + random.normal() ** 2 + random.normal() ** 2;
        return random.normal() / Math.sqrt(chi / 3) / Math.sqrt(3);
      };
    case 'exponential':
      return () => -Math.log(1 - random.uniform()) - 1;
    case 'ar1':
      return () => {
        last = 0.5 * last + Math.sqrt(0.75) * random.normal();
        return last;
      };
    case 'drift':
      return () => {
        runs += 1;
        return random.normal() + runs / 200;
      };
  }
}
