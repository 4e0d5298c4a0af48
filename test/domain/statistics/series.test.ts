import { expect, test } from 'vitest';
import { isConstant, sd, seriesOf, shape } from '../../../domain/statistics/series.ts';

test('mean and sd survive values far from zero', () => {
  const series = seriesOf([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]);
  expect(series.mean).toBe(1e9 + 10);
  expect(sd(series)).toBeCloseTo(Math.sqrt(30), 9);
});

test('bit-identical values have no sd, whatever rounding does', () => {
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
