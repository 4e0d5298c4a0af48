import { describe, expect, it } from 'vitest';
import { family } from '../../../../../bench/abort/families.ts';
import { shareCurve, windowMean } from '../../../../../domain/abort/share-curve.ts';
import { outlierBoundsOf, isWithinBounds } from '../../../../../domain/abort/rules/matched-time/outliers.ts';
import { againstGood } from '../../../../../domain/abort/rules/matched-time/against-good.ts';
import { isAntiCorrelated, regressionAt } from '../../../../../domain/abort/rules/matched-time/regression.ts';
import {
  emptyState,
  GRID,
  learnMatched,
  WINDOW,
  type MatchedState,
} from '../../../../../domain/abort/rules/matched-time/state.ts';
import { openRule } from '../../../../../domain/abort/rules.ts';
import { BUDGET, configFor, fallingTo } from '../../support.ts';

interface Ended {
  final: number;
  unit?: number;
}

const CONFIG = configFor('minimize');
const ended = ({ final, unit = 1 }: Ended, seed: number) => {
  const points = fallingTo(final, { noise: 0.02, seed }).map((point) => ({ ...point, value: unit * point.value }));
  return { points, budget: BUDGET, final };
};
/** Runs whose finals lie evenly between 3 and 4, in mixed order. */
const ordinary = (n: number): Ended[] => Array.from({ length: n }, (_, i) => ({ final: 3 + ((i * 7) % n) / n }));
const curvesOf = (runs: readonly Ended[]) => runs.map((run, i) => ended(run, i + 1));
const taught = (runs: readonly Ended[]) =>
  curvesOf(runs).reduce((rule, curve) => rule.learn(curve), openRule('matched-time', CONFIG));
const stateOf = (runs: readonly Ended[]): MatchedState => curvesOf(runs).reduce(learnMatched, emptyState(CONFIG));
const at = (final: number, unit: number, until = 50) => ({
  points: ended({ final, unit }, 777).points.slice(0, until),
  budget: BUDGET,
  incumbent: 3,
});

describe('values at one share', () => {
  it('are absurd three spreads beyond the outer tenths, or a quarter of their size if that is more', () => {
    const tens = (step: number): number[] => Array.from({ length: 11 }, (_, i) => 100 + step * i);
    // The tenths are 110 and 190: three spreads are 240.
    expect(outlierBoundsOf(tens(10))).toEqual({ from: 110 - 240, to: 190 + 240 });
    // The tenths are 101 and 109: a quarter of 105 is more than three spreads.
    expect(outlierBoundsOf([...tens(1), 1e3])).toEqual({ from: 101 - 26.25, to: 109 + 26.25 });
    expect(outlierBoundsOf([...tens(1).map((value) => -value), 1e3])).toEqual({ from: -109 - 26.25, to: -101 + 26.25 });
  });

  it('are never absurd among fewer than ten, if all are near each other, or if most are 0', () => {
    for (const values of [
      [],
      [...Array.from({ length: 20 }, (_, i) => 100 + i / 1e3), 124],
      [1, 2, 1e9],
      [...Array<number>(20).fill(0), -1, 1e9],
    ])
      expect(values.every((value) => isWithinBounds(outlierBoundsOf(values), value))).toBe(true);
  });

  it('are not absurd in ordinary families, however few runs there are, and though some start late', () => {
    for (const name of ['heavy noise', 'late starters', 'uneven winners', 'late winners'] as const) {
      const curves = family(name, 200, 3).map(({ points, budget }) => shareCurve(points, budget, 'minimize'));
      for (let g = 4; g <= GRID; g += 4) {
        const values = curves.map((curve) => windowMean(curve, g / GRID, WINDOW) ?? Number.NaN);
        for (const n of [10, 20, 200])
          expect(values.slice(0, n).every((value) => isWithinBounds(outlierBoundsOf(values.slice(0, n)), value))).toBe(
            true,
          );
      }
    }
  });
});

describe('one good run that printed its curve in another unit', () => {
  it.each([1000, 0.001, 10, -1000])('(× %d) does not prevent the stop of a hopeless run, whenever it ended', (unit) => {
    const [odd, hopeless] = [{ final: 3, unit }, at(4.6, 1)];
    for (const n of [12, 60]) {
      const before = taught(ordinary(n)).decide(hopeless).decision;
      for (const runs of [
        [odd, ...ordinary(n)],
        [...ordinary(n), odd],
      ]) {
        const after = taught(runs).decide(hopeless).decision;
        expect([before.abort, after.abort]).toEqual([true, true]);
        expect(after.forecast).toBeCloseTo(before.forecast ?? Number.NaN, 1);
        expect(isAntiCorrelated(stateOf(runs))).toBe(false);
      }
    }
  });

  it('is left out of all sums', () => {
    const [without, withIt] = [ordinary(20), [...ordinary(20), { final: 2.9, unit: 1000 }]].map(stateOf);
    for (const g of [8, 20, GRID])
      for (const key of ['n', 'meanX', 'meanY', 'xx', 'yy', 'xy'] as const)
        expect(withIt && regressionAt(withIt, g)[key]).toBeCloseTo(
          (without && regressionAt(without, g)[key]) ?? Number.NaN,
          9,
        );
  });

  it('lets later runs in another unit go on, which without it are stopped', () => {
    const other = at(3, 1000);
    expect(taught(ordinary(60)).decide(other).decision.abort).toBe(true);
    const { abort, reason } = taught([...ordinary(60), { final: 3.1, unit: 64 }]).decide(other).decision;
    expect({ abort, reason }).toEqual({
      abort: false,
      reason:
        'its value is an outlier among finished runs, and so was the value of 1 good run: the rule does not judge it',
    });
  });
});

describe('one bad run that began slowly, or printed another unit', () => {
  it.each([2, 4, 64])('(× %d) does not prevent the stop of a run that looks like it', (unit) => {
    const known = taught([...ordinary(60), { final: 3.9, unit }]);
    for (const like of [unit, 1000]) expect(known.decide(at(3.9, like)).decision.abort).toBe(true);
  });

  it.each([
    [12, 3.99],
    [29, 3.99],
    [40, 3.6],
    [60, 3.55],
  ])('does not either among %d known runs whose better half ended better than its %d', (n, final) => {
    for (const unit of [4, 64]) {
      expect(taught([...ordinary(n - 1), { final, unit }]).decide(at(4.6, unit)).decision.abort).toBe(true);
    }
  });

  it.each([12, 29, 40])(
    'lets later runs like it go on if it ended in the better half of %d, or beat the incumbent',
    (n) => {
      for (const [final, incumbent] of [
        [3.15, 3],
        [3.4, 3],
        [3.9, 3.95],
      ] as const) {
        const rule = taught([...ordinary(n - 1), { final, unit: 64 }]);
        expect(rule.decide({ ...at(4.6, 64), incumbent }).decision.reason).toContain('so was the value of 1 good run');
      }
    },
  );
});

describe('the second test', () => {
  it('stops no run at a look at which most of the good runs have absurd values', () => {
    const verdict = (odd: number): boolean => {
      const runs = ordinary(300).map((run) => (run.final < 3 + odd / 300 ? { ...run, unit: 1000 } : run));
      const state = stateOf(runs);
      return againstGood(state, { g: 20, at: regressionAt(state, 20), x: 9, y: 3, strictness: 1 }).abort;
    };
    expect([0, 5, 14, 15, 25].map(verdict)).toEqual([true, true, true, false, false]);
  });
});
