import { describe, expect, it } from 'vitest';
import { countPlausible } from '../../../../../domain/abort/rules/matched-time/outliers.ts';
import { openRule, type RunningRule } from '../../../../../domain/abort/rules.ts';
import { BUDGET, configFor, fallingTo } from '../../support.ts';

const finals = (n: number): number[] => Array.from({ length: n }, (_, i) => 1 + i / n);

describe('absurd finals', () => {
  it('are those beyond the worst tenth by three times the spread from tenth to tenth', () => {
    const twenty = finals(21);
    // The tenths lie 2 / 21 and 18 / 21 above 1.
    const fence = 1 + (18 + 3 * 16) / 21;
    expect(countPlausible([...twenty.slice(0, 20), fence - 1e-9])).toBe(21);
    expect(countPlausible([...twenty.slice(0, 20), fence + 1e-9])).toBe(20);
    expect(countPlausible([...twenty.slice(0, 19), 1e3, 1e200])).toBe(19);
  });

  it('do not exist among no runs, among one, if all end alike, or if a fifth ends so', () => {
    expect(countPlausible([])).toBe(0);
    expect(countPlausible([7])).toBe(1);
    expect(countPlausible([...Array<number>(20).fill(1), 5])).toBe(21);
    expect(countPlausible([...finals(20), 1e3, 1e3, 1e3, 1e3, 1e3])).toBe(25);
  });

  const learn = (rule: RunningRule, shown: number, final: number, seed: number): RunningRule =>
    rule.learn({ points: fallingTo(shown, { noise: 0.02, seed }), budget: BUDGET, final });
  const taught = (ends: readonly number[]): RunningRule =>
    ends.reduce((rule, final, i) => learn(rule, final, final, i + 1), openRule('matched-time', configFor('minimize')));
  const hopeless = { points: fallingTo(5, { until: 50, noise: 0.02, seed: 77 }), budget: BUDGET, incumbent: 1 };

  it.each([1e2, 1e3, 1e6, 1e59, 1e200, Number.MAX_VALUE])(
    'of %d, of the run that looked best, do not prevent the stop of a hopeless run',
    (final) => {
      for (const n of [12, 40]) {
        const before = taught(finals(n));
        const after = learn(before, 0.9, final, 99);
        expect(after.decide(hopeless).decision).toEqual(before.decide(hopeless).decision);
        expect(after.decide(hopeless).decision.abort).toBe(true);
      }
    },
  );

  it('are used for comparisons again once other runs end like them', () => {
    const alone = taught([...finals(12), 20]);
    const many = taught([...finals(12), 20, 21, 22]);
    expect(alone.decide({ ...hopeless, incumbent: 20 }).decision.forecast).toBeLessThan(7);
    expect(taught(finals(12)).state).not.toEqual(alone.state);
    expect(alone.state).toMatchObject({ known: { length: 12 }, absurd: [{ final: 20 }] });
    expect(many.state).toMatchObject({ known: { length: 15 }, absurd: [] });
  });

  it('are reported if they leave too few runs', () => {
    const { reason } = taught([...finals(9), 1e9]).decide(hopeless).decision;
    expect(reason).toBe('9 completed runs to compare with (without 1 outlier); the rule needs 10');
  });
});
