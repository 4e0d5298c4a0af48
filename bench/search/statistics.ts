import { createRandom, type Random } from '../../domain/statistics/random.ts';
import { quantile } from '../support/quantile.ts';
import { RESAMPLES } from './settings.ts';

/** Mean of the values without the lowest and the highest quarter (whole values: a quarter is rounded down). */
export function interquartileMean(values: readonly number[]): number {
  const cut = Math.floor(values.length / 4);
  const middle = Float64Array.from(values)
    .sort()
    .slice(cut, values.length - cut);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** The interquartile mean with its 95 % percentile bootstrap interval. */
export const intervalOf = (values: readonly number[]): Interval =>
  bootstrap(interquartileMean(values), (random) => interquartileMean(resample(values, random)));

/** The difference of two interquartile means with its interval; both samples are drawn again, independently. */
export const differenceOf = (a: readonly number[], b: readonly number[]): Interval =>
  bootstrap(
    interquartileMean(a) - interquartileMean(b),
    (random) => interquartileMean(resample(a, random)) - interquartileMean(resample(b, random)),
  );

/** a − b − share · (c − b): the difference less a share of the gain of b over c, with its interval. */
export function excessOf({ a, b, c, share }: { a: Sample; b: Sample; c: Sample; share: number }): Interval {
  const of = (means: { a: number; b: number; c: number }): number => means.a - means.b - share * (means.c - means.b);
  const meansOf = (draw: (values: Sample) => Sample) => ({
    a: interquartileMean(draw(a)),
    b: interquartileMean(draw(b)),
    c: interquartileMean(draw(c)),
  });
  return bootstrap(of(meansOf((values) => values)), (random) => of(meansOf((values) => resample(values, random))));
}

type Sample = readonly number[];

function bootstrap(value: number, draw: (random: Random) => number): Interval {
  const random = createRandom(1);
  const draws = Array.from({ length: RESAMPLES }, () => draw(random));
  return { value, low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}

const resample = (values: Sample, random: Random): number[] =>
  Array.from(values, () => values[random.below(values.length)] ?? NaN);
