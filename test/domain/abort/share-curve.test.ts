import { describe, expect, it } from 'vitest';
import { hasRecentTimes, hasAllTimes, lastShare } from '../../../domain/abort/share-curve.ts';
import { openRule } from '../../../domain/abort/rules.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import { configFor, fallingTo, STEPS } from './support.ts';

const SECONDS = { kind: 'seconds', total: STEPS } as const;
const BURN_IN = 0.1;
/** A curve with a point a second, whose times from one second to another nobody saw, once or twice. */
const unseen = (points: readonly CurvePoint[], ...gaps: (readonly [from: number, to: number])[]): CurvePoint[] =>
  points.map((point) => {
    const isSeen = gaps.every(([from, to]) => point.step < from || point.step > to);
    return { ...point, elapsed: isSeen ? point.step : NaN };
  });

describe('a curve with times that nobody saw', () => {
  const curve = unseen(fallingTo(1), [4, 15]);

  it('is no whole one where its budget is one of time', () => {
    expect(hasAllTimes(curve, SECONDS, BURN_IN)).toBe(false);
    expect(hasAllTimes(curve, { kind: 'steps', total: STEPS }, BURN_IN)).toBe(true);
    expect(hasAllTimes(curve, { kind: 'shares', total: 1 }, BURN_IN)).toBe(true);
  });

  it('is whole where only its beginning is missing and it is there by burn-in', () => {
    const begun = (at: number): boolean => hasAllTimes(unseen(fallingTo(1), [1, at - 1]), SECONDS, BURN_IN);
    expect([1, 2, 10, 11].map(begun)).toEqual([true, true, true, false]);
    expect(hasAllTimes(unseen(fallingTo(1), [1, 5], [50, 50]), SECONDS, BURN_IN)).toBe(false);
    expect(hasAllTimes(unseen(fallingTo(1), [1, STEPS]), SECONDS, BURN_IN)).toBe(false);
  });

  it('is clear again when a rule sees no more of the gap', () => {
    const clear = (until: number): boolean => hasRecentTimes(curve.slice(0, until), SECONDS);
    expect([3, 4, 15, 16, 28, 29, STEPS].map(clear)).toEqual([true, false, false, false, false, true, true]);
  });

  it('is as far as the last point that has a share: a step below 0 or without bounds has none', () => {
    const steps = { kind: 'steps', total: STEPS } as const;
    const ending = (step: number): CurvePoint[] => [...fallingTo(1, { until: 40 }), { step, elapsed: 5, value: 1 }];
    expect([-1, Infinity, NaN, 0].map((step) => lastShare(ending(step), steps))).toEqual([0.4, 0.4, 0.4, 0]);
  });

  it('is as far as the last point whose time was seen', () => {
    expect(lastShare(curve.slice(0, 10), SECONDS)).toBe(0.03);
  });

  it('teaches a rule nothing where its budget is one of time', () => {
    const rule = openRule('matched-time', configFor('minimize'));
    const learned = (budget: typeof SECONDS | { kind: 'steps'; total: number }) =>
      rule.learn({ points: curve, budget, final: 1 }).state;
    expect(learned(SECONDS)).toEqual(rule.state);
    expect(learned({ kind: 'steps', total: STEPS })).not.toEqual(rule.state);
  });

  it('teaches a rule what it is where only its first lines were read late', () => {
    const rule = openRule('matched-time', configFor('minimize'));
    const late = (until: number) =>
      rule.learn({ points: unseen(fallingTo(1), [1, until]), budget: SECONDS, final: 1 }).state;
    expect(late(4)).not.toEqual(rule.state);
    expect(late(20)).toEqual(rule.state);
  });

  it('is not judged by asha at a rung over which it was drawn straight', () => {
    let rule = openRule('asha', configFor('minimize'));
    for (let i = 0; i < 9; i += 1)
      rule = rule.learn({ points: unseen(fallingTo(1 + i / 100)), budget: SECONDS, final: 1, run: `r${i}` });
    // A winner that fell in the middle of what nobody saw: the straight line there is far above where it was.
    const winner = fallingTo(0.5, { until: 60 }).map((point) => ({
      ...point,
      value: point.value + (point.step < 31 ? 3 : 0),
    }));
    const look = (points: CurvePoint[]) =>
      rule.decide({ points, budget: SECONDS, incumbent: 1, run: 'winner', before: 0.2 }).decision;
    expect(look(unseen(winner)).abort).toBe(false);
    expect(look(unseen(winner, [30, 45]))).toMatchObject({ abort: false, reason: 'no rung at 60 %' });
    // What happened elsewhere does not matter.
    expect(look(unseen(fallingTo(3, { until: 60 }), [40, 45])).abort).toBe(true);
    expect(look(unseen(fallingTo(3, { until: 60 }), [12, 25])).abort).toBe(true);
  });
});
