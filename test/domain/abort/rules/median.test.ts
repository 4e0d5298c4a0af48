import { describe, expect, it } from 'vitest';
import { openRule, type RunningRule } from '../../../../domain/abort/rules.ts';
import type { CurvePoint } from '../../../../domain/abort/types.ts';
import { BUDGET, configFor, STEPS } from '../support.ts';

/** A value for each step up to a share of the budget. */
const curve = (value: (step: number) => number, until = STEPS): CurvePoint[] =>
  Array.from({ length: until }, (_, i) => ({ step: i + 1, elapsed: i + 1, value: value(i + 1) }));

/** Distances of five completed runs from the first: their median is the third, and their mean is far from it. */
const LEVELS = [0, 0.1, 0.2, 0.3, 50];

function knowing(shape: (step: number) => number): RunningRule {
  return LEVELS.reduce(
    (rule, level) => rule.learn({ points: curve((step) => shape(step) + level), budget: BUDGET, final: level }),
    openRule('median', configFor('minimize')),
  );
}

const isStopped = (rule: RunningRule, points: CurvePoint[]): boolean =>
  rule.decide({ points, budget: BUDGET, incumbent: 0 }).decision.abort;

describe('the median rule', () => {
  it('compares with the running averages of the completed runs, not with their values at that share', () => {
    // The value falls from 10 to 1 after a tenth. At half, the average is (10 · 10 + 40 · 1) / 50 = 2.8, and the value
    // 1. The third run lies .2 above.
    const falling = knowing((step) => (step <= 10 ? 10 : 1));
    expect(
      isStopped(
        falling,
        curve(() => 2.99, 50),
      ),
    ).toBe(false);
    expect(
      isStopped(
        falling,
        curve(() => 3.01, 50),
      ),
    ).toBe(true);
    // The value rises from 1 to 5 after half. At four fifths, the average is (50 · 1 + 30 · 5) / 80 = 2.5, and the
    // value 5.
    const rising = knowing((step) => (step <= 50 ? 1 : 5));
    expect(
      isStopped(
        rising,
        curve(() => 2.69, 80),
      ),
    ).toBe(false);
    expect(
      isStopped(
        rising,
        curve(() => 2.71, 80),
      ),
    ).toBe(true);
  });

  it('judges a run by its best value so far, not by its last one or its average', () => {
    const falling = knowing((step) => (step <= 10 ? 10 : 1));
    expect(
      isStopped(
        falling,
        curve((step) => (step === 20 ? 2.99 : 9), 50),
      ),
    ).toBe(false);
    expect(
      isStopped(
        falling,
        curve((step) => (step === 20 ? 3.01 : 9), 50),
      ),
    ).toBe(true);
  });

  it('uses only completed runs, and stops no run before there are five of them', () => {
    const bad = curve(() => 1e3, 50);
    const four = LEVELS.slice(1).reduce(
      (rule, level) => rule.learn({ points: curve(() => level), budget: BUDGET, final: level }),
      openRule('median', configFor('minimize')),
    );
    const stopped = { points: curve(() => 0, 50), budget: BUDGET, final: null };
    expect(isStopped(four.learn(stopped), bad)).toBe(false);
    expect(isStopped(four.learn({ ...stopped, final: 0 }), bad)).toBe(true);
  });
});
