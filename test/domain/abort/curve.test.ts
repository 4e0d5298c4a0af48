import { describe, expect, it } from 'vitest';
import { isClear, isWhole, lastShare } from '../../../domain/abort/curve.ts';
import { openRule } from '../../../domain/abort/rules.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import { configFor, fallingTo, STEPS } from './support.ts';

const SECONDS = { kind: 'seconds', total: STEPS } as const;
/** A curve with a point a second, whose times from one second to another nobody saw. */
const unseen = (points: readonly CurvePoint[], from: number, to: number): CurvePoint[] =>
  points.map((point) => ({ ...point, elapsed: point.step >= from && point.step <= to ? NaN : point.step }));

describe('a curve with times that nobody saw', () => {
  const curve = unseen(fallingTo(1), 4, 15);

  it('is no whole one where its budget is one of time', () => {
    expect(isWhole(curve, SECONDS)).toBe(false);
    expect(isWhole(curve, { kind: 'steps', total: STEPS })).toBe(true);
    expect(isWhole(curve, { kind: 'shares', total: 1 })).toBe(true);
  });

  it('is clear again when a rule sees no more of the gap', () => {
    const clear = (until: number): boolean => isClear(curve.slice(0, until), SECONDS);
    expect([3, 4, 15, 16, 28, 29, STEPS].map(clear)).toEqual([true, false, false, false, false, true, true]);
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
});
