import { expect, it } from 'vitest';
import { isLookDue, nextLook, listLooks } from '../../../domain/abort/looks.ts';
import { lookGrid } from '../../../domain/abort/rules/matched-time/look.ts';
import { GRID } from '../../../domain/abort/rules/matched-time/state.ts';
import { DEFAULT_ABORT } from '../../../domain/abort/types.ts';

it('places looks only at the shares at which finished runs are scored, whatever the spacing of the lines', () => {
  for (const step of [0.01, 0.03, 0.07, 0.11]) {
    const looks: number[] = [];
    let next = DEFAULT_ABORT.burnIn;
    for (let share = step; share < 1; share += step) {
      if (share < next) continue;
      looks.push(next);
      next = nextLook(share, DEFAULT_ABORT);
    }
    expect(lookGrid(DEFAULT_ABORT)).toEqual(expect.arrayContaining(looks.map((share) => Math.round(share * GRID))));
    expect(looks.every((share) => Math.abs(share * GRID - Math.round(share * GRID)) < 1e-6)).toBe(true);
  }
});

it('gives the first look before the burn-in, and the following look after that', () => {
  expect(nextLook(0, DEFAULT_ABORT)).toBe(0.1);
  expect(nextLook(0.1, DEFAULT_ABORT)).toBeCloseTo(0.15);
  expect(nextLook(0.149, DEFAULT_ABORT)).toBeCloseTo(0.15);
});

/** Lines at these steps of a hundred. */
const linesAt = (steps: readonly number[]) => steps.map((step) => ({ step, elapsed: step, value: 1 }));
const BUDGET = { kind: 'steps', total: 100 } as const;

it('lists a look of a curve at the first line at or past its share, and none at the end of the budget', () => {
  const looks = listLooks(linesAt([4, 9, 12, 14, 15, 19, 31, 33, 36, 94, 96, 99, 100, 104]), BUDGET, DEFAULT_ABORT);
  expect(looks.map(({ share }) => share)).toEqual([0.12, 0.15, 0.31, 0.36, 0.94, 0.96]);
  expect(looks.map(({ seen }) => seen)).toEqual([3, 5, 7, 9, 10, 11]);
});

it('lists the looks that a follower of the live run takes', () => {
  for (const step of [1, 3, 7, 11]) {
    const points = linesAt(Array.from({ length: Math.floor(100 / step) }, (_, i) => (i + 1) * step));
    const followed: number[] = [];
    let next = DEFAULT_ABORT.burnIn;
    for (const [i, point] of points.entries()) {
      if (!isLookDue(points.slice(0, i + 1), BUDGET, next)) continue;
      followed.push(i + 1);
      next = nextLook(point.step / 100, DEFAULT_ABORT);
    }
    expect(listLooks(points, BUDGET, DEFAULT_ABORT).map(({ seen }) => seen)).toEqual(followed);
  }
});

it('lists no look if no line has a share', () => {
  expect(listLooks(linesAt([Number.NaN, Number.NaN]), BUDGET, DEFAULT_ABORT)).toEqual([]);
});
