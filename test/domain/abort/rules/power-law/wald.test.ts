import { describe, expect, it } from 'vitest';
import {
  correlatedRatios,
  independentRatios,
  waldThresholds,
  runSequentialTest,
  type Link,
} from '../../../../../domain/abort/rules/power-law/wald.ts';
import { createRandom } from '../../../../../domain/statistics/random.ts';

const LOOKS = 9;
/** AR(1) deviations with unit variance around a mean. */
function looks(rho: number, mean: number, random: ReturnType<typeof createRandom>): number[] {
  let last = random.normal();
  return Array.from({ length: LOOKS }, (_, i) => {
    if (i > 0) last = rho * last + Math.sqrt(1 - rho * rho) * random.normal();
    return last + mean;
  });
}
const linksOf = (rho: number): Link[] =>
  Array.from({ length: LOOKS }, (_, i) => (i === 0 ? { phi: 0, variance: 1 } : { phi: rho, variance: 1 - rho * rho }));

describe('thresholds of Wald', () => {
  it('differ for α and β that differ', () => {
    const { abort, keep } = waldThresholds(0.02, 0.2);
    expect(Math.exp(abort)).toBeCloseTo(0.8 / 0.02, 10);
    expect(Math.exp(keep)).toBeCloseTo(0.2 / 0.98, 10);
  });

  it('hold both errors for independent looks', () => {
    const random = createRandom(1);
    const limits = waldThresholds(0.02, 0.2);
    const share = (verdict: 'abort' | 'keep', mean: number): number => {
      let n = 0;
      for (let i = 0; i < 20_000; i += 1)
        if (runSequentialTest(independentRatios(looks(0, mean, random), 1), limits).verdict === verdict) n += 1;
      return n / 20_000;
    };
    expect(share('abort', 0)).toBeLessThanOrEqual(0.02 / 0.8);
    expect(share('keep', 1)).toBeLessThanOrEqual(0.2 / 0.98);
    // The thresholds also give verdicts: a test that never aborts would hold both errors.
    expect(share('abort', 1)).toBeGreaterThan(0.5);
  });
});

describe.each([0, 0.5, 0.8, 0.9, 0.95, 0.99])('looks with correlation %d', (rho) => {
  it('break the published test but not the corrected one', () => {
    const random = createRandom(2);
    const published = { abort: Math.log(19), keep: -Math.log(19) };
    const n = 10_000;
    let [naive, right] = [0, 0];
    for (let i = 0; i < n; i += 1) {
      const seen = looks(rho, 0, random);
      if (runSequentialTest(independentRatios(seen, 1), published).verdict === 'abort') naive += 1;
      if (runSequentialTest(correlatedRatios(seen, linksOf(rho), 1), waldThresholds(0.05, 0.05)).verdict === 'abort')
        right += 1;
    }
    expect(right / n).toBeLessThanOrEqual(0.05 / 0.95 + 0.005);
    if (rho >= 0.5) expect(naive / n).toBeGreaterThan(0.08);
  });
});
