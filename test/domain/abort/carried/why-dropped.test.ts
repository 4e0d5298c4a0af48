import { describe, expect, it } from 'vitest';
import { whyDropped } from '../../../../domain/abort/carried/why-dropped.ts';
import type { FinishedCurve } from '../../../../domain/abort/types.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { BUDGET, configFor, fallingTo } from '../support.ts';

const CONFIG = configFor('minimize');
const LOG2 = 1 / Math.log(2);

/** Runs of one candidate (`spread` 0) or of many. `unit`: the factor of all values of their curves. */
function runs(n: number, how: { seed: number; spread?: number; unit?: number }): FinishedCurve[] {
  const { seed, spread = 0.5, unit = 1 } = how;
  const random = createRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const final = 2 + spread * random.uniform() + 0.01 * random.normal();
    const points = fallingTo(final, { noise: 0.02, seed: 1000 * seed + i });
    return { points: points.map((point) => ({ ...point, value: unit * point.value })), budget: BUDGET, final };
  });
}
const baseline = (unit = 1): FinishedCurve[] => runs(10, { seed: 2, spread: 0, unit });

describe('carried curves', () => {
  it('are kept in nearly all researches if the baseline runs look like them', () => {
    const dropped = Array.from({ length: 40 }, (_, i) =>
      whyDropped(runs(40, { seed: 10 + i }), { baseline: runs(10, { seed: 100 + i, spread: 0 }), config: CONFIG }),
    ).filter((why) => why !== null);
    expect(dropped.length).toBeLessThanOrEqual(2);
  });

  it.each([
    ['bits in place of nats', LOG2],
    ['a sum in place of a mean', 64],
    ['a thousandth', 0.001],
  ])('are dropped if the baseline runs print another unit: %s', (_, unit) => {
    const why = whyDropped(runs(40, { seed: 1 }), { baseline: baseline(unit), config: CONFIG });
    expect(why).toContain('most of 10 baseline runs deviate');
  });

  it('are kept if one baseline run of ten is an outlier', () => {
    const astray = [...baseline().slice(1), ...baseline(64).slice(0, 1)];
    expect(whyDropped(runs(40, { seed: 1 }), { baseline: astray, config: CONFIG })).toBeNull();
  });

  it('are dropped if a comparison is impossible: too few curves, or no baseline run with a curve', () => {
    const few = whyDropped(runs(9, { seed: 1 }), { baseline: baseline(), config: CONFIG });
    expect(few).toContain('at least 10 comparable curves, got 9');
    const mute = baseline().map((run) => ({ ...run, points: [] }));
    expect(whyDropped(runs(40, { seed: 1 }), { baseline: mute, config: CONFIG })).toContain(
      'no completed baseline run',
    );
  });
});
