import { expect, test } from 'vitest';
import { quantile } from '../../../bench/support/quantile.ts';

test.each([
  [[1, 2, 3, 4], 0.5, 2.5],
  [[4, 1, 3, 2], 0.25, 1.75],
  [[10, 20, 30], 0.95, 29],
  [[5], 0.95, 5],
  [[9, 100, 1], 0, 1],
  [[9, 100, 1], 1, 100],
  [[1, Infinity, Infinity], 0.75, Infinity],
])('of %j at %s it is %s, as in NumPy', (values, p, expected) => {
  expect(quantile(values, p)).toBeCloseTo(expected, 12);
});

test('the values keep their order', () => {
  const values = [3, 1, 2];
  quantile(values, 0.5);
  expect(values).toEqual([3, 1, 2]);
});

test('no values, or a share in per cent, is refused', () => {
  expect(() => quantile([], 0.5)).toThrow('expected at least one value for a quantile, got none');
  expect(() => quantile([1], 95)).toThrow('expected a share from 0 to 1 for a quantile, got 95');
});
