import { expect, it } from 'vitest';
import { toCarriedCurve, toFinishedCurve } from '../../../../domain/abort/carried/carried-curve.ts';
import { shareCurve, windowMean } from '../../../../domain/abort/share-curve.ts';
import type { FinishedCurve } from '../../../../domain/abort/types.ts';
import { BUDGET, fallingTo, STEPS } from '../support.ts';

const meansOf = ({ points, budget }: FinishedCurve): number[] => {
  const curve = shareCurve(points, budget, 'maximize');
  return Array.from({ length: 39 }, (_, g) => windowMean(curve, (g + 2) / 40, 0.1) ?? Number.NaN);
};

it.each([
  ['with a point a step', 1, 1],
  ['with few points', 17, 1],
  ['that begins late', 1, 23],
])('a carried curve %s has the means of its run at every look', (_, every, from) => {
  const points = fallingTo(2, { noise: 0.1 }).filter(({ step }) => step >= from && (step - from) % every === 0);
  const run: FinishedCurve = { points, budget: BUDGET, final: 2, weight: 10 };
  const carried = toCarriedCurve('a/1', run, 0.1);
  if (!carried) throw new Error('expected a curve that is carried');
  const again = toFinishedCurve(structuredClone(carried));
  expect(again).toMatchObject({ final: 2, weight: 10, run: 'a/1' });
  const [was, is] = [meansOf(run), meansOf(again)];
  is.forEach((mean, g) => expect(mean).toBeCloseTo(was[g] ?? Number.NaN, 4));
});

it.each([
  ['has no end', { points: fallingTo(2), budget: BUDGET, final: null }],
  ['ends at a value that is no number', { points: fallingTo(2), budget: BUDGET, final: Number.NaN }],
  ['has no curve', { points: [], budget: BUDGET, final: 2 }],
  [
    'has a gap in its times',
    {
      points: fallingTo(2).map((point) => (point.step === 50 ? { ...point, elapsed: Number.NaN } : point)),
      budget: { kind: 'seconds' as const, total: STEPS / 10 },
      final: 2,
    },
  ],
])('a run that %s is not carried', (_, run) => expect(toCarriedCurve('a/1', run, 0.1)).toBeNull());
