import { describe, expect, it } from 'vitest';
import { ordersOf, replayOrder } from '../../../../domain/abort/replay/replay-order.ts';
import type { ReplayCurve, ReplayPlan } from '../../../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../../../domain/abort/types.ts';
import { BUDGET, STEPS } from '../support.ts';

/** A run that stays at a value, with a line each hundredth of its budget, or at the given ones. */
const flat = (final: number, steps = Array.from({ length: STEPS }, (_, i) => i + 1)): ReplayCurve => ({
  ...{ group: `g${final}`, budget: BUDGET, final },
  points: steps.map((step) => ({ step, elapsed: step, value: final })),
});

/** The shares at which `asha` stops these runs, by their place in the order. Rungs are at 1/9 and 1/3, looks at .1, .15 …. */
function stops(
  curves: readonly ReplayCurve[],
  slots: number,
  rule: ReplayPlan['rule'] = 'asha',
): Record<number, number> {
  const plan: ReplayPlan = {
    ...DEFAULT_ABORT,
    ...{ rule, direction: 'minimize', incumbent: 'running' },
    ...{ slots, repeats: 1, seed: 1, audit: { first: 0, share: 0 } },
  };
  const { runs } = replayOrder(curves, ordersOf(curves.length, plan)[0] ?? [], plan);
  return Object.fromEntries(runs.filter(({ aborted }) => aborted).map(({ curve, used }) => [curve, used]));
}

describe('asha over a fleet', () => {
  it('goes by its own settings', () => {
    const three = [flat(1), flat(2), flat(0.9)];
    expect(stops(three, 1)).toEqual({});
    // Of two at a rung one goes on: at a quarter of the budget.
    expect(stops(three, 1, { name: 'asha', eta: 2 })).toEqual({ 1: 0.25 });
  });

  // The first prints little: it is past the rung at 1/9 when its line at 30 % comes.
  const first = flat(1.5, [2, 30, 60, 90, 100]);

  it('compares a run with those that have come to the rung by then, whoever began before', () => {
    const four = [first, flat(1), flat(2), flat(0.9)];
    // The other three are there at .15: two wait for nobody, the third is the best. The first is the last to come.
    expect(stops(four, 4)).toEqual({ 0: 0.3 });
    // One after the other: the first waits for nobody, and the third is the worst of three.
    expect(stops(four, 1)).toEqual({ 2: 0.15 });
    // On two slots the first is overtaken by one: that and the first wait for nobody.
    expect(stops(four, 2)).toEqual({ 2: 0.15 });
  });

  it('judges a run at each rung by all that were there, whether they went on or not', () => {
    // The fifth begins at .3 and is the best at both rungs. The sixth is the second best of six at 1/9, but only the best
    // of five goes on at 1/3, to which the first never came; the seventh is the worst.
    const seven = [first, flat(1), flat(2), flat(0.9), flat(0.8), flat(0.85), flat(3)];
    expect(stops(seven, 4)).toEqual({ 0: 0.3, 5: 0.35, 6: 0.15 });
  });

  it('knows the run that took the place of a stopped one when a slower one comes to the rung', () => {
    // It prints nothing from 20 to 90 %. The third is stopped at .15; the fourth takes its slot and is at 1/3 at .5.
    const slow = flat(1, [...Array.from({ length: 20 }, (_, i) => i + 1), 90, 100]);
    expect(stops([slow, flat(2), flat(3), flat(0.5)], 3)).toEqual({ 0: 0.9, 2: 0.15 });
    expect(stops([slow, flat(2), flat(3)], 3)).toEqual({ 2: 0.15 });
  });

  it('stops nobody where fewer than three run at once and no more have come', () => {
    expect(stops([flat(1), flat(9)], 4)).toEqual({});
    expect(stops([flat(1), flat(5), flat(9)], 4)).toEqual({ 2: 0.15 });
  });
});
