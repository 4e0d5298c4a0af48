import { describe, expect, test } from 'vitest';
import { differenceOf, errorOf, meanRewardOf } from '../../../../domain/learning/statistics/mean-reward.ts';
import { seriesOf } from '../../../../domain/statistics/series.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

describe('the standard error of a mean reward', () => {
  test('is that of the mean if all candidates differ, and that of the runs if all samples are one candidate', () => {
    expect(meanRewardOf({ n: 16, mean: 0, variance: 4, shared: 0 }).standardError).toBe(0.5);
    const one = meanRewardOf({ n: 16, mean: 0, variance: 0, shared: 16 * 15 * 0.09 });
    expect(one.standardError).toBeCloseTo(0.3, 12);
  });

  test('is unknown for one sample, or if the noise of shared values is unknown', () => {
    expect(meanRewardOf({ n: 1, mean: 1, variance: null, shared: 0 })).toEqual({ n: 1, mean: 1, standardError: null });
    expect(meanRewardOf({ n: 4, mean: 1, variance: 1, shared: null }).standardError).toBeNull();
  });

  test('has the square that simulated batches have, whose copies share the mean of two runs', () => {
    const random = createRandom(7);
    const [worths, noise, n, runs] = [[-0.5, 0.2, 0.6], 0.4, 12, 2];
    const truth = worths.reduce((sum, worth) => sum + worth, 0) / worths.length;
    let [squares, estimates] = [0, 0];
    const batches = 20_000;
    for (let batch = 0; batch < batches; batch += 1) {
      const rewards = worths.map((worth) => worth + (noise / Math.sqrt(runs)) * random.normal());
      const counts = worths.map(() => 0);
      const drawn = Array.from({ length: n }, () => {
        const candidate = random.below(worths.length);
        counts[candidate] = (counts[candidate] ?? 0) + 1;
        return rewards[candidate] ?? 0;
      });
      const { mean, m2 } = seriesOf(drawn);
      const shared = counts.reduce((sum, count) => sum + (count * (count - 1) * noise ** 2) / runs, 0);
      const { standardError } = meanRewardOf({ n, mean, variance: m2 / (n - 1), shared });
      squares += (mean - truth) ** 2 / batches;
      estimates += (standardError ?? NaN) ** 2 / batches;
    }
    expect(estimates / squares).toBeGreaterThan(0.96);
    expect(estimates / squares).toBeLessThan(1.04);
  });
});

describe('an interval', () => {
  test("is Student's, with the samples less one", () => {
    expect(errorOf({ n: 16, mean: 0, standardError: 1 })).toBeCloseTo(2.1314, 4);
    expect(errorOf({ n: 1, mean: 0, standardError: null })).toBeNull();
  });

  test('of a difference adds both squares, with the degrees of freedom of the smaller sample', () => {
    const { value, error } = differenceOf(
      { n: 16, mean: -0.4, standardError: 0.3 },
      { n: 80, mean: 0.5, standardError: 0.4 },
    );
    expect(value).toBeCloseTo(0.9, 12);
    expect(error).toBeCloseTo(0.5 * 2.1314, 4);
    expect(
      differenceOf({ n: 1, mean: 0, standardError: null }, { n: 80, mean: 1, standardError: 0.4 }).error,
    ).toBeNull();
  });
});
