import { expect, test } from 'vitest';
import { neighbourCorrelation } from '../../../domain/statistics/neighbour-correlation.ts';

test('values that rise steadily are correlated, and values that alternate are negatively correlated', () => {
  // Deviations −1.5, −.5, .5, 1.5: products .75 − .25 + .75 = 1.25 over squares 5.
  expect(neighbourCorrelation([1, 2, 3, 4])).toBeCloseTo(0.25, 12);
  // Deviations ±1: products −3 over squares 4.
  expect(neighbourCorrelation([1, -1, 1, -1])).toBeCloseTo(-0.75, 12);
});

test.each([[[]], [[5]], [Array.from({ length: 10 }, () => 0.83)]])(
  'values that do not vary have none: %j',
  (values) => {
    expect(neighbourCorrelation(values)).toBe(0);
  },
);
