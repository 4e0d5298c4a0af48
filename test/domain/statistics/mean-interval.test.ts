import { expect, test } from 'vitest';
import { meanInterval } from '../../../domain/statistics/mean-interval.ts';

test('the interval of a mean is that of t.interval of SciPy', () => {
  // scipy.stats.t.interval(0.95, 4, loc=np.mean(x), scale=scipy.stats.sem(x))
  const { n, mean, sd, low, high } = meanInterval([0.1, 0.4, 0.35, -0.2, 0.6]);
  expect([n, mean, sd]).toEqual([5, expect.closeTo(0.25, 12), expect.closeTo(0.308_220_700_2, 9)]);
  expect([low, high]).toEqual([expect.closeTo(-0.132_706_4, 6), expect.closeTo(0.632_706_4, 6)]);
});

test('without two different values there is no interval', () => {
  expect(meanInterval([])).toEqual({ n: 0, mean: null, sd: null, low: null, high: null });
  expect(meanInterval([3])).toEqual({ n: 1, mean: 3, sd: null, low: null, high: null });
  expect(meanInterval([3, 3, 3])).toEqual({ n: 3, mean: 3, sd: 0, low: null, high: null });
});
