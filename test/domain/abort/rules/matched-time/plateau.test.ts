import { describe, expect, it } from 'vitest';
import { outlierBoundsOf, isWithinBounds } from '../../../../../domain/abort/rules/matched-time/outliers.ts';
import { openRule } from '../../../../../domain/abort/rules.ts';
import type { Direction } from '../../../../../domain/abort/types.ts';
import { BUDGET, configFor, fallingTo, STEPS } from '../../support.ts';

/** A run that shows `unit` × `plateau` up to step `until`, and then falls towards `final`. */
interface Run {
  final: number;
  plateau?: number;
  until?: number;
  unit?: number;
  direction?: Direction;
}
const curve = ({ final, plateau = 5, until = 30, unit = 1, direction = 'minimize' }: Run, seed: number) => {
  const sign = direction === 'minimize' ? 1 : -1;
  const noise = 0.02 * Math.abs(final - plateau);
  const points = fallingTo(sign * final, { noise, seed, sign }).map((point) =>
    point.step <= until ? { ...point, value: unit * plateau } : point,
  );
  return { points, budget: BUDGET, final };
};
const taught = (runs: readonly Run[], direction: Direction = 'minimize') =>
  runs.reduce(
    (rule, run, i) => rule.learn(curve({ direction, ...run }, i + 1)),
    openRule('matched-time', configFor(direction)),
  );
const lookAt = (run: Run, share: number) => ({
  points: curve(run, 777).points.slice(0, share * STEPS),
  budget: BUDGET,
});

const among = (n: number, most: number, others: readonly number[]): boolean[] => {
  const fence = outlierBoundsOf([...Array<number>(n).fill(most), ...others]);
  return others.map((value) => isWithinBounds(fence, value));
};

describe('if most values agree', () => {
  it('a value above the median by more than three times its size is absurd, whatever its sign', () => {
    expect(among(20, 5, [19.9, 20.1])).toEqual([true, false]);
    expect(among(20, -0.1, [0.19, 0.21])).toEqual([true, false]);
  });

  it('a value below the median is never absurd: a run that learns first shows it', () => {
    expect(among(30, 5, [0, -5000])).toEqual([true, true]);
    expect(among(30, -0.1, [-0.9, -1])).toEqual([true, true]);
    expect(among(30, -0.001, [-0.9, -100])).toEqual([true, true]);
  });
});

describe('one run with rubbish for values on a plateau that all others share', () => {
  it.each([
    [12, 30],
    [12, 50],
    [20, 30],
    [20, 50],
    [28, 50],
  ])('among %d, up to step %d, does not prevent the stop of a hopeless run', (n, until) => {
    const ordinary = Array.from({ length: n }, (_, i) => ({ final: 3 + ((i * 7) % n) / n, until }));
    const look = { ...lookAt({ final: 4.9, until }, 0.8), incumbent: 3 };
    expect(taught(ordinary).decide(look).decision.abort).toBe(true);
    for (const unit of [1000, 1e9, 0.001, -1000])
      for (const final of [3, 3.9])
        expect(taught([...ordinary, { final, until, unit }]).decide(look).decision.abort).toBe(true);
  });

  it('does not prevent it for a metric to maximize either', () => {
    const direction = 'maximize';
    const ordinary = Array.from({ length: 20 }, (_, i) => ({
      final: 0.8 + ((i * 7) % 20) / 100,
      plateau: 0.1,
      until: 50,
    }));
    const look = { ...lookAt({ final: 0.2, plateau: 0.1, until: 50, direction }, 0.8), incumbent: 1 };
    expect(taught(ordinary, direction).decide(look).decision.abort).toBe(true);
    for (const unit of [-10, -1000, 100, 1000])
      for (const final of [0.8, 0.99])
        expect(
          taught([...ordinary, { final, plateau: 0.1, until: 50, unit }], direction).decide(look).decision.abort,
        ).toBe(true);
  });
});

describe('a run that is hardly worse on a plateau that few have left', () => {
  it('is not stopped for a difference that is negligible beside those of the few', () => {
    const direction = 'maximize';
    const chance = { plateau: 0.01, until: 50 };
    const runs: Run[] = [
      ...Array.from({ length: 35 }, (_, i) => ({ ...chance, final: 0.6 + i / 200 })),
      ...[0.8, 0.81, 0.82].map((final) => ({ ...chance, final, unit: 50 })),
      ...[0.7, 0.71].map((final) => ({ ...chance, final, unit: 0.9 })),
    ];
    const winner = lookAt({ ...chance, final: 0.85, unit: 0.7, direction }, 0.4);
    expect(taught(runs, direction).decide({ ...winner, incumbent: 0.82 }).decision.abort).toBe(false);
  });
});
