import { expect, test } from 'vitest';
import { describeBaseline } from '../../../view/rows/baseline.ts';

test('a baseline is its mean, the noise of one run and how many runs; a score of its own making is marked', () => {
  const baseline = { value: 2.2, sd: 0.2, n: 3, trusted: true };
  expect(describeBaseline({ baseline, unit: 'bits' })).toBe('2.20 bits  sd of one run 0.2000 (3 runs)');
  const first = { value: 1.5, sd: null, n: 1, trusted: false };
  expect(describeBaseline({ baseline: first })).toBe('1.500 untrusted  sd of one run – (1 run)');
  expect(describeBaseline({ baseline: null })).toBe('not measured yet');
});
