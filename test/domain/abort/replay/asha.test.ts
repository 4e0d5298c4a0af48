import { describe, expect, it } from 'vitest';
import { ordersOf, replayOrder } from '../../../../domain/abort/replay/replay-order.ts';
import type { ReplayCurve, ReplayPlan } from '../../../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../../../domain/abort/types.ts';
import { BUDGET, STEPS } from '../support.ts';

/** A run whose value stays the same, with a line at each hundredth of its budget, or at the given steps. */
const flat = (final: number, steps = Array.from({ length: STEPS }, (_, i) => i + 1)): ReplayCurve => ({
  group: `g${final}`,
  budget: BUDGET,
  final,
  points: steps.map((step) => ({ step, elapsed: step, value: final })),
});

/**
 * The shares at which `asha` stops these runs, by their place in the order. Rungs are at 1/9 and 1/3, looks at .1, .15
 * and so on.
 */
function stops(
  curves: readonly ReplayCurve[],
  slots: number,
  rule: ReplayPlan['rule'] = 'asha',
): Record<number, number> {
  const plan: ReplayPlan = {
    ...DEFAULT_ABORT,
    rule,
    direction: 'minimize',
    incumbent: 'running',
    slots,
    repeats: 1,
    seed: 1,
    audit: { first: 0, share: 0 },
  };
  const { runs } = replayOrder(curves, ordersOf(curves.length, plan)[0] ?? [], plan);
  return Object.fromEntries(runs.filter(({ aborted }) => aborted).map(({ curve, used }) => [curve, used]));
}

describe('asha over a fleet', () => {
  it('uses its own settings', () => {
    const three = [flat(1), flat(2), flat(0.9)];
    expect(stops(three, 1)).toEqual({});
    // With eta 2, one of two runs at a rung goes on, and the first rung is at a quarter of the budget.
    expect(stops(three, 1, { name: 'asha', eta: 2 })).toEqual({ 1: 0.25 });
  });

  // The first run prints little: its line at 30 % is the first one past the rung at 1/9.
  const first = flat(1.5, [2, 30, 60, 90, 100]);

  it('compares a run with those that have already reached the rung, in any order of their starts', () => {
    const four = [first, flat(1), flat(2), flat(0.9)];
    // The other three reach the rung at .15: two are not compared with enough runs, the third is the best. The first
    // run reaches it last.
    expect(stops(four, 4)).toEqual({ 0: 0.3 });
    // One after the other: the first run goes on, since no other one is there yet, and the third is the worst of three.
    expect(stops(four, 1)).toEqual({ 2: 0.15 });
    // On two slots one run overtakes the first: both reach the rung before enough others have.
    expect(stops(four, 2)).toEqual({ 2: 0.15 });
  });

  it('judges a run at each rung by all runs that reached it, whether they went on or not', () => {
    // The fifth run begins at .3 and is the best at both rungs. The sixth is the second best of six at 1/9. At 1/3,
    // which the first run never reached, only the best of five goes on. The seventh is the worst.
    const seven = [first, flat(1), flat(2), flat(0.9), flat(0.8), flat(0.85), flat(3)];
    expect(stops(seven, 4)).toEqual({ 0: 0.3, 5: 0.35, 6: 0.15 });
  });

  it('counts the run on the slot of a stopped one when a slower run reaches the rung', () => {
    // The slow run prints nothing from 20 to 90 %. The third is stopped at .15. The fourth takes its slot and reaches
    // the rung at 1/3 at time .5.
    const slow = flat(1, [...Array.from({ length: 20 }, (_, i) => i + 1), 90, 100]);
    expect(stops([slow, flat(2), flat(3), flat(0.5)], 3)).toEqual({ 0: 0.9, 2: 0.15 });
    expect(stops([slow, flat(2), flat(3)], 3)).toEqual({ 2: 0.15 });
  });

  it('stops no run before three have reached the rung', () => {
    expect(stops([flat(1), flat(9)], 4)).toEqual({});
    expect(stops([flat(1), flat(5), flat(9)], 4)).toEqual({ 2: 0.15 });
  });
});
