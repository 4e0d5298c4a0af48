import { expect, test } from 'vitest';
import { incompleteBeta, logGamma } from '../../../domain/statistics/incomplete-beta.ts';
import { expectedGain, normalCdf } from '../../../domain/statistics/normal.ts';
import { tail, upperQuantile } from '../../../domain/statistics/student-t.ts';

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
])('the upper quantile of t at %d with %d degrees of freedom is the one in the tables', (p, df, t) => {
  expect(upperQuantile(p, df)).toBeCloseTo(t, df === 22 ? 1 : 5);
  expect(tail(upperQuantile(p, df), df)).toBeCloseTo(p, 10);
});

test('both tails add up to one, also far out', () => {
  for (const t of [-40, -2, 0, 0.7, 5, 300]) expect(tail(t, 7) + tail(-t, 7)).toBeCloseTo(1, 12);
  // One degree of freedom is Cauchy: its tail is known.
  expect(tail(1000, 1)).toBeCloseTo(0.5 - Math.atan(1000) / Math.PI, 12);
  expect(upperQuantile(0.975, 10)).toBeCloseTo(-2.228138852, 6);
});

test('the normal distribution and the expected gain agree with known values', () => {
  expect(normalCdf(1.959963985)).toBeCloseTo(0.975, 6);
  expect(normalCdf(-3)).toBeCloseTo(0.0013498980316, 8);
  expect(expectedGain(0, 1)).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 6);
  expect(expectedGain(-2, 0)).toBe(0);
  expect(expectedGain(2, 0)).toBe(2);
});
