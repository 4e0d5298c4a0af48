import { expect, it } from 'vitest';
import { createRandom } from '../../../domain/statistics/random.ts';

const take = (seed: number, n: number): number[] => {
  const random = createRandom(seed);
  return Array.from({ length: n }, () => random.uniform());
};

it('gives the same stream for the same seed and another for the next', () => {
  expect(take(7, 20)).toEqual(take(7, 20));
  expect(take(7, 5)).not.toEqual(take(8, 5));
  expect(take(2 ** 31, 5)).not.toEqual(take(2 ** 32 + 2 ** 31, 5));
});

it('does not follow the seed: first draws of neighbouring seeds are spread evenly', () => {
  const firsts = Array.from({ length: 4000 }, (_, seed) => take(seed, 1)[0] ?? -1);
  for (let bin = 0; bin < 10; bin += 1) {
    const count = firsts.filter((value) => Math.floor(value * 10) === bin).length;
    expect(Math.abs(count - 400)).toBeLessThan(90);
  }
});

it('draws normals with mean 0 and variance 1, and whole numbers below n', () => {
  const random = createRandom(3);
  const draws = Array.from({ length: 20_000 }, () => random.normal());
  const mean = draws.reduce((a, b) => a + b, 0) / draws.length;
  const variance = draws.reduce((a, b) => a + (b - mean) ** 2, 0) / draws.length;
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(variance - 1)).toBeLessThan(0.05);
  expect(new Set(Array.from({ length: 200 }, () => random.below(3)))).toEqual(new Set([0, 1, 2]));
});
