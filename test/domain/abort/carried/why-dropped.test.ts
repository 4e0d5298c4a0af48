import { describe, expect, it } from 'vitest';
import { whyDropped } from '../../../../domain/abort/carried/why-dropped.ts';
import type { FinishedCurve } from '../../../../domain/abort/types.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { BUDGET, configFor, fallingTo } from '../support.ts';

const CONFIG = configFor('minimize');
const LOG2 = 1 / Math.log(2);

/** Runs of one candidate (`spread` 0) or of many; `unit` is what all values of their curves are multiplied by. */
function runs(n: number, how: { seed: number; spread?: number; unit?: number }): FinishedCurve[] {
  const { seed, spread = 0.5, unit = 1 } = how;
  const random = createRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const final = 2 + spread * random.uniform() + 0.01 * random.normal();
    const points = fallingTo(final, { noise: 0.02, seed: 1000 * seed + i });
    return { points: points.map((one) => ({ ...one, value: unit * one.value })), budget: BUDGET, final };
  });
}
const baseline = (unit = 1): FinishedCurve[] => runs(10, { seed: 2, spread: 0, unit });

describe('carried curves', () => {
  it('are kept where the baseline runs look like them, in nearly all researches', () => {
    const dropped = Array.from({ length: 40 }, (_, i) =>
      whyDropped(runs(40, { seed: 10 + i }), { baseline: runs(10, { seed: 100 + i, spread: 0 }), config: CONFIG }),
    ).filter((why) => why !== null);
    expect(dropped.length).toBeLessThanOrEqual(2);
  });

  it.each([
    ['bits where they were nats', LOG2],
    ['a sum where it was a mean', 64],
    ['a thousandth', 0.001],
  ])('are dropped where the baseline runs print another unit: %s', (_, unit) => {
    const why = whyDropped(runs(40, { seed: 1 }), { baseline: baseline(unit), config: CONFIG });
    expect(why).toContain('most of 10 baseline runs lie');
  });

  it('are kept where one baseline run of ten went astray', () => {
    const astray = [...baseline().slice(1), ...baseline(64).slice(0, 1)];
    expect(whyDropped(runs(40, { seed: 1 }), { baseline: astray, config: CONFIG })).toBeNull();
  });

  it('are dropped where nothing can be told: too few of them, or no baseline run with a curve', () => {
    expect(whyDropped(runs(9, { seed: 1 }), { baseline: baseline(), config: CONFIG })).toContain('10 are needed');
    const mute = baseline().map((run) => ({ ...run, points: [] }));
    expect(whyDropped(runs(40, { seed: 1 }), { baseline: mute, config: CONFIG })).toContain('no baseline run');
  });
});
