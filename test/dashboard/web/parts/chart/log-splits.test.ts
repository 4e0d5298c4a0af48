import { expect, test } from 'vitest';
import { logSplits } from '../../../../../dashboard/web/parts/chart/axes.ts';

test.each([
  [0.5, 2000, [1, 10, 100, 1000]],
  [1.5, 60, [2, 5, 10, 20, 50]],
  [3.41, 3.87, [3.6, 3.8]],
  [0, 1, []],
  [2, 1, []],
])('a logarithmic axis from %d to %d has ticks at %j', (min, max, ticks) => {
  expect(logSplits(min, max)).toEqual(ticks);
});

test('a very long axis has few ticks', () => {
  expect(logSplits(1e-12, 1e12).length).toBeLessThanOrEqual(8);
});
