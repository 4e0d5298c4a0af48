import { describe, expect, it, test } from 'vitest';
import { incompleteBeta, logGamma } from '../../../domain/statistics/incomplete-beta.ts';
import { expectedGain, normalCdf } from '../../../domain/statistics/normal.ts';
import { upperTail, upperQuantile } from '../../../domain/statistics/student-t.ts';
import { createRandom } from '../../../domain/statistics/random.ts';
import { isConstant, sd, seriesOf, shape } from '../../../domain/statistics/series.ts';
import { binomialInterval, largestShareThatDiffers } from '../../../domain/statistics/binomial-interval.ts';

test('the incomplete beta function agrees with closed forms', () => {
  expect(incompleteBeta(0.5, 2, 3)).toBeCloseTo(0.6875, 12);
  expect(incompleteBeta(0.3, 1, 4)).toBeCloseTo(1 - 0.7 ** 4, 12);
  expect(incompleteBeta(0.9, 5, 1)).toBeCloseTo(0.9 ** 5, 12);
  expect(incompleteBeta(0, 2, 3)).toBe(0);
  expect(incompleteBeta(1, 2, 3)).toBe(1);
});

test('the gamma function agrees with factorials and the half', () => {
  expect(Math.exp(logGamma(6))).toBeCloseTo(120, 9);
  expect(Math.exp(logGamma(0.5))).toBeCloseTo(Math.sqrt(Math.PI), 12);
});

test.each([
  [0.025, 10, 2.228138852],
  [0.05, 1, 6.313751515],
  [0.001, 5, 5.893429531],
  [0.00025, 22, 4.091],
  [0.005, 120, 2.617421],
])('the upper quantile of t at %d with %d degrees of freedom is that of the tables', (p, df, t) => {
  expect(upperQuantile(p, df)).toBeCloseTo(t, df === 22 ? 1 : 5);
  expect(upperTail(upperQuantile(p, df), df)).toBeCloseTo(p, 10);
});

test('both tails add up to one, even far out', () => {
  for (const t of [-40, -2, 0, 0.7, 5, 300]) expect(upperTail(t, 7) + upperTail(-t, 7)).toBeCloseTo(1, 12);
  // One degree of freedom is the Cauchy distribution, whose tail has a closed form.
  expect(upperTail(1000, 1)).toBeCloseTo(0.5 - Math.atan(1000) / Math.PI, 12);
  expect(upperQuantile(0.975, 10)).toBeCloseTo(-2.228138852, 6);
});

test('the normal distribution and the expected gain agree with known values', () => {
  // 0.5 · erfc(−x/√2) of Python's math module.
  const known: [number, number][] = [
    [-30, 4.906713927148764e-198],
    [-10, 7.619853024160593e-24],
    [-6, 9.865876450377012e-10],
    [-3, 0.0013498980316300957],
    [-2.9999, 0.0013503412829549248],
    [-1, 0.15865525393145707],
    [0.25, 0.5987063256829237],
    [1, 0.8413447460685429],
    [2.5, 0.9937903346742238],
    [3.5, 0.9997673709209645],
    [5, 0.9999997133484281],
  ];
  for (const [x, p] of known) expect(normalCdf(x) / p).toBeCloseTo(1, 11);
  for (let x = -9; x <= 9; x += 0.37) expect(normalCdf(x) + normalCdf(-x)).toBeCloseTo(1, 14);
  expect([normalCdf(0), normalCdf(-Infinity), normalCdf(Infinity), normalCdf(-50)]).toEqual([0.5, 0, 1, 0]);
  expect(expectedGain(0, 1)).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 6);
  expect(expectedGain(-2, 0)).toBe(0);
  expect(expectedGain(2, 0)).toBe(2);
});

describe('a random stream', () => {
  const take = (seed: number, n: number): number[] => {
    const random = createRandom(seed);
    return Array.from({ length: n }, () => random.uniform());
  };

  it('is the same for the same seed and differs for the next', () => {
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

  it('gives normals with mean 0 and variance 1, and whole numbers below n', () => {
    const random = createRandom(3);
    const draws = Array.from({ length: 20_000 }, () => random.normal());
    const mean = draws.reduce((a, b) => a + b, 0) / draws.length;
    const variance = draws.reduce((a, b) => a + (b - mean) ** 2, 0) / draws.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
    expect(new Set(Array.from({ length: 200 }, () => random.below(3)))).toEqual(new Set([0, 1, 2]));
  });
});

describe('a series', () => {
  test('mean and sd survive values far from zero', () => {
    const series = seriesOf([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]);
    expect(series.mean).toBe(1e9 + 10);
    expect(sd(series)).toBeCloseTo(Math.sqrt(30), 9);
  });

  test('bit-identical values have an sd of 0 in spite of rounding', () => {
    const series = seriesOf([0.1, 0.1, 0.1]);
    expect(sd(series)).toBe(0);
    expect(isConstant(series)).toBe(true);
    expect(isConstant(seriesOf([0.1]))).toBe(false);
  });

  test('skewness and kurtosis are the bias-corrected ones of spreadsheets', () => {
    const { skewness, kurtosis } = shape([2, 3, 5, 8, 13, 21, 34]);
    expect(skewness).toBeCloseTo(1.267966, 6);
    expect(kurtosis).toBeCloseTo(0.975659, 6);
    expect(shape([1, 1, 1, 1, 1])).toEqual({ skewness: 0, kurtosis: 0 });
  });
});

describe('the exact interval of a share', () => {
  it.each([
    [0, 10, 0, 0.308497],
    [3, 20, 0.032071, 0.378927],
    [10, 10, 0.691503, 1],
  ])('of %d in %d is that of the tables', (hits, n, low, high) => {
    const bounds = binomialInterval(hits, n, 0.975);
    expect(bounds.low).toBeCloseTo(low, 5);
    expect(bounds.high).toBeCloseTo(high, 5);
  });
  it('shows less than 2 % only after some 150 trials without a hit', () => {
    expect(binomialInterval(0, 148, 0.95).high).toBeGreaterThan(0.02);
    expect(binomialInterval(0, 149, 0.95).high).toBeLessThan(0.02);
  });
  it.each([2, 20, 148])('has a closed form of its upper bound without a hit in %d', (n) => {
    expect(largestShareThatDiffers(n)).toBeCloseTo(binomialInterval(0, n, 0.95).high, 10);
  });
});
