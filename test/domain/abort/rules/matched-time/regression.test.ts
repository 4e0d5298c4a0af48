import { describe, expect, it } from 'vitest';
import { excess, type Regression } from '../../../../../domain/abort/rules/matched-time/regression.ts';

/** Twenty runs whose values and finals have that correlation, both with mean 0 and variance 1. */
const correlated = (r: number): Regression => ({ n: 20, meanX: 0, meanY: 0, xx: 20, yy: 20, xy: 20 * r });

describe('how far a run lies above what runs with its final show', () => {
  it('is nothing at a share at which better runs looked worse, by more than a standard error of the slope', () => {
    // t = r √18 / √(1 − r²) is −1 at r = −.229.
    for (const r of [-0.9, -0.3, -0.24]) expect(excess(correlated(r), 5, -1)).toBeNull();
    for (const r of [-0.22, 0, 0.01]) expect(excess(correlated(r), 5, -1)?.z).toBeGreaterThan(4);
  });

  it('is counted in standard errors of a new run from the regression of the value on the final', () => {
    const found = excess(correlated(0.8), 2, -1);
    // Residual variance 20 (1 − .64) / 18 = .4, leverage 1/20 + 1/20.
    expect(found?.leverage).toBeCloseTo(0.1, 12);
    expect(found?.se).toBeCloseTo(Math.sqrt(0.4 * 1.1), 12);
    expect(found?.z).toBeCloseTo((2 + 0.8) / Math.sqrt(0.44), 12);
  });

  it('is nothing where all values agree', () => {
    expect(excess({ ...correlated(0), xx: 0, yy: 0 }, 1, 0)).toBeNull();
  });
});
