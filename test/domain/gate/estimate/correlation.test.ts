import { expect, test } from 'vitest';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { varianceFactor } from '../../../../domain/gate/estimate/correlation.ts';
import { BASELINE } from '../support.ts';

/** Successive values of a first-order autoregression with the correlation `rho`. */
function autoregression(rho: number, n: number): number[] {
  const random = createRandom(7);
  let last = random.normal();
  return Array.from({ length: n }, () => (last = rho * last + Math.sqrt(1 - rho ** 2) * random.normal()));
}

test('independent runs count in full', () => {
  expect(varianceFactor([BASELINE])).toBe(1);
  expect(varianceFactor([autoregression(0, 400)])).toBeLessThan(1.2);
});

test('many correlated runs count as (1 − ρ) / (1 + ρ) of their number', () => {
  // ρ = .8: nine runs count as one.
  expect(varianceFactor([autoregression(0.8, 4000)])).toBeGreaterThan(8);
  expect(varianceFactor([autoregression(0.8, 4000)])).toBeLessThan(10);
});

test('a difference between two candidates is no correlation of their runs', () => {
  expect(varianceFactor([BASELINE, BASELINE.map((value) => value + 100)])).toBe(1);
});

test('the factor is bounded, and 1 without two different values', () => {
  const rising = Array.from({ length: 200 }, (_, i) => i);
  expect(varianceFactor([rising])).toBeCloseTo(1.9 / 0.1, 10);
  expect(varianceFactor([[], [3], [2, 2, 2, 2]])).toBe(1);
});
