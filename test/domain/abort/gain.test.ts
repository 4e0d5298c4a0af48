import { describe, expect, it } from 'vitest';
import { gainOf, type AbortEffect } from '../../../domain/abort/gain.ts';
import { createRandom } from '../../../domain/random.ts';

const effect = (bad: number, power: number, share: number): AbortEffect => ({
  overhead: 0,
  bad,
  power,
  shareAtTrueAbort: share,
  falseAbort: 0,
  shareAtFalseAbort: 0,
});

describe('the gain of early abort', () => {
  it.each([
    [0.38, 0.38, 1.149],
    [0.54, 0.38, 1.226],
    [0.54, 0.1, 1.365],
    [1, 0.38, 1.517],
    [1, 0, 2.222],
  ])('for 55 %% bad runs, power %d and %d of the budget used is %d', (power, share, gain) => {
    expect(gainOf(effect(0.55, power, share)).runs).toBeCloseTo(gain, 3);
  });

  it('is what a simulated slot finds', () => {
    const truth: AbortEffect = {
      overhead: 0.2,
      bad: 0.7,
      power: 0.6,
      shareAtTrueAbort: 0.3,
      falseAbort: 0.1,
      shareAtFalseAbort: 0.5,
    };
    const random = createRandom(11);
    let [time, kept] = [0, 0];
    const n = 2_000_000;
    for (let i = 0; i < n; i += 1) {
      const bad = random.uniform() < truth.bad;
      const aborted = random.uniform() < (bad ? truth.power : truth.falseAbort);
      // Uniform around the mean share, so that only the mean can matter.
      const mean = bad ? truth.shareAtTrueAbort : truth.shareAtFalseAbort;
      time += truth.overhead + (aborted ? mean + 0.4 * (random.uniform() - 0.5) : 1);
      if (!bad && !aborted) kept += 1;
    }
    const { runs, useful } = gainOf(truth);
    expect(runs).toBeCloseTo(((1 + truth.overhead) * n) / time, 2);
    expect(useful).toBeCloseTo(kept / time / ((1 - truth.bad) / (1 + truth.overhead)), 2);
  });

  it('never passes 1 / (1 − p)', () => {
    expect(gainOf(effect(0.55, 1, 0)).runs).toBeCloseTo(1 / 0.45, 10);
  });
});
