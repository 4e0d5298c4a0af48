import { describe, expect, it } from 'vitest';
import { hasRecentTimes, hasAllTimes, lastShare } from '../../../domain/abort/share-curve.ts';
import { openRule } from '../../../domain/abort/rules.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import { configFor, fallingTo, STEPS } from './support.ts';

const SECONDS = { kind: 'seconds', total: STEPS } as const;
const BURN_IN = 0.1;
/** A curve with a point a second. Within each gap, its ends included, the times of the points are unknown. */
const unseen = (points: readonly CurvePoint[], ...gaps: (readonly [from: number, to: number])[]): CurvePoint[] =>
  points.map((point) => {
    const isSeen = gaps.every(([from, to]) => point.step < from || point.step > to);
    return { ...point, elapsed: isSeen ? point.step : NaN };
  });

describe('a curve with unknown times', () => {
  const curve = unseen(fallingTo(1), [4, 15]);

  it('is incomplete if its budget is one of time', () => {
    expect(hasAllTimes(curve, SECONDS, BURN_IN)).toBe(false);
    expect(hasAllTimes(curve, { kind: 'steps', total: STEPS }, BURN_IN)).toBe(true);
    expect(hasAllTimes(curve, { kind: 'shares', total: 1 }, BURN_IN)).toBe(true);
  });

  it('is complete if only its beginning is missing and its times are known by the burn-in', () => {
    const begun = (at: number): boolean => hasAllTimes(unseen(fallingTo(1), [1, at - 1]), SECONDS, BURN_IN);
    expect([1, 2, 10, 11].map(begun)).toEqual([true, true, true, false]);
    expect(hasAllTimes(unseen(fallingTo(1), [1, 5], [50, 50]), SECONDS, BURN_IN)).toBe(false);
    expect(hasAllTimes(unseen(fallingTo(1), [1, STEPS]), SECONDS, BURN_IN)).toBe(false);
  });

  it('has recent times again when the gap lies outside the window of a rule', () => {
    const clear = (until: number): boolean => hasRecentTimes(curve.slice(0, until), SECONDS);
    expect([3, 4, 15, 16, 28, 29, STEPS].map(clear)).toEqual([true, false, false, false, false, true, true]);
  });

  it('has reached the share of the last point that has one: a negative or infinite step has none', () => {
    const steps = { kind: 'steps', total: STEPS } as const;
    const ending = (step: number): CurvePoint[] => [...fallingTo(1, { until: 40 }), { step, elapsed: 5, value: 1 }];
    expect([-1, Infinity, NaN, 0].map((step) => lastShare(ending(step), steps))).toEqual([0.4, 0.4, 0.4, 0]);
  });

  it('has reached the share of the last point whose time is known', () => {
    expect(lastShare(curve.slice(0, 10), SECONDS)).toBe(0.03);
  });

  it('teaches a rule nothing if its budget is one of time', () => {
    const rule = openRule('matched-time', configFor('minimize'));
    const learned = (budget: typeof SECONDS | { kind: 'steps'; total: number }) =>
      rule.learn({ points: curve, budget, final: 1 }).state;
    expect(learned(SECONDS)).toEqual(rule.state);
    expect(learned({ kind: 'steps', total: STEPS })).not.toEqual(rule.state);
  });

  it('teaches a rule its values if only its first lines were read late', () => {
    const rule = openRule('matched-time', configFor('minimize'));
    const late = (until: number) =>
      rule.learn({ points: unseen(fallingTo(1), [1, until]), budget: SECONDS, final: 1 }).state;
    expect(late(4)).not.toEqual(rule.state);
    expect(late(20)).toEqual(rule.state);
  });

  it('is not judged by asha at a rung at which its value is interpolated over a gap', () => {
    let rule = openRule('asha', configFor('minimize'));
    for (let i = 0; i < 9; i += 1)
      rule = rule.learn({ points: unseen(fallingTo(1 + i / 100)), budget: SECONDS, final: 1, run: `r${i}` });
    // A winner that fell in the middle of the gap: the interpolated line there lies far above its true values.
    const winner = fallingTo(0.5, { until: 60 }).map((point) => ({
      ...point,
      value: point.value + (point.step < 31 ? 3 : 0),
    }));
    const look = (points: CurvePoint[]) =>
      rule.decide({ points, budget: SECONDS, incumbent: 1, run: 'winner', lastLookShare: 0.2 }).decision;
    expect(look(unseen(winner)).abort).toBe(false);
    expect(look(unseen(winner, [30, 45]))).toMatchObject({ abort: false, reason: 'no rung at 60 %' });
    // A gap that holds no rung does not matter.
    expect(look(unseen(fallingTo(3, { until: 60 }), [40, 45])).abort).toBe(true);
    expect(look(unseen(fallingTo(3, { until: 60 }), [12, 25])).abort).toBe(true);
  });
});
