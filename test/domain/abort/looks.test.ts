import { expect, it } from 'vitest';
import { lookAfter } from '../../../domain/abort/looks.ts';
import { lookGrid } from '../../../domain/abort/matched-time/look.ts';
import { GRID } from '../../../domain/abort/matched-time/state.ts';
import { DEFAULT_ABORT } from '../../../domain/abort/types.ts';

it('looks at a run only where finished runs are scored, however its lines fall', () => {
  for (const step of [0.01, 0.03, 0.07, 0.11]) {
    const looks: number[] = [];
    let next = DEFAULT_ABORT.burnIn;
    for (let share = step; share < 1; share += step) {
      if (share < next) continue;
      looks.push(next);
      next = lookAfter(share, DEFAULT_ABORT);
    }
    expect(lookGrid(DEFAULT_ABORT)).toEqual(expect.arrayContaining(looks.map((share) => Math.round(share * GRID))));
    expect(looks.every((share) => Math.abs(share * GRID - Math.round(share * GRID)) < 1e-6)).toBe(true);
  }
});

it('comes to the first look from before the burn-in, and to the next one from a look', () => {
  expect(lookAfter(0, DEFAULT_ABORT)).toBe(0.1);
  expect(lookAfter(0.1, DEFAULT_ABORT)).toBeCloseTo(0.15);
  expect(lookAfter(0.149, DEFAULT_ABORT)).toBeCloseTo(0.15);
});
