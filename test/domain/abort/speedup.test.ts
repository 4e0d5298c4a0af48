import { describe, expect, it } from 'vitest';
import { estimateSpeedup, type AbortEffect } from '../../../domain/abort/speedup.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

const effect = (bad: number, power: number, share: number): AbortEffect => ({
  overhead: 0,
  meanLength: 1,
  bad,
  power,
  leftAtTrueAbort: 1 - share,
  falseAbort: 0,
  leftAtFalseAbort: 0,
});

describe('the gain of early abort', () => {
  it.each([
    [0.38, 0.38, 1.149],
    [0.54, 0.38, 1.226],
    [0.54, 0.1, 1.365],
    [1, 0.38, 1.517],
    [1, 0, 2.222],
  ])('for 55 %% bad runs, power %d and %d of the budget used is %d', (power, share, gain) => {
    expect(estimateSpeedup(effect(0.55, power, share)).runs).toBeCloseTo(gain, 3);
  });

  it('agrees with a simulated slot on which bad runs end early and the longer ones are stopped', () => {
    // Bad runs take .3 to .9 of the budget, good ones .8 to 1.2. A stopped run is stopped at half of its length.
    const [overhead, bad, least] = [0.2, 0.7, 0.5];
    const falseAbort = 0.1;
    const truth: AbortEffect = {
      overhead,
      meanLength: bad * 0.6 + (1 - bad),
      bad,
      // Bad runs of at least .5 of the budget are stopped.
      power: (0.9 - least) / 0.6,
      leftAtTrueAbort: (0.9 + least) / 2 / 2,
      falseAbort,
      leftAtFalseAbort: 0.5,
    };
    const random = createRandom(11);
    let [time, alone, kept] = [0, 0, 0];
    const n = 2_000_000;
    for (let i = 0; i < n; i += 1) {
      const isBad = random.uniform() < bad;
      const length = isBad ? 0.3 + 0.6 * random.uniform() : 0.8 + 0.4 * random.uniform();
      const aborted = isBad ? length >= least : random.uniform() < falseAbort;
      time += overhead + (aborted ? length / 2 : length);
      alone += overhead + length;
      if (!isBad && !aborted) kept += 1;
    }
    const { runs, useful } = estimateSpeedup(truth);
    expect(runs).toBeCloseTo(alone / time, 2);
    expect(useful).toBeCloseTo(kept / time / (((1 - bad) * n) / alone), 2);
  });

  it('is 1 if a run costs nothing', () => {
    expect(estimateSpeedup({ ...effect(0.5, 1, 1), meanLength: 0 }).runs).toBe(1);
  });

  it('never passes 1 / (1 − p)', () => {
    expect(estimateSpeedup(effect(0.55, 1, 0)).runs).toBeCloseTo(1 / 0.45, 10);
  });
});
