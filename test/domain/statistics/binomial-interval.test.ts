import { describe, expect, it } from 'vitest';
import { binomialInterval } from '../../../domain/statistics/binomial-interval.ts';

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
  it('needs some 150 trials without a hit to show 2 %', () => {
    expect(binomialInterval(0, 148, 0.95).high).toBeGreaterThan(0.02);
    expect(binomialInterval(0, 149, 0.95).high).toBeLessThan(0.02);
  });
});
