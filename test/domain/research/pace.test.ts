import { expect, test } from 'vitest';
import { paceSeconds } from '../../../domain/research/pace.ts';

test('rubbish in a row slows proposals down, longer each time up to a limit', () => {
  const paces = [9, 10, 11, 15, 16, 1000].map((inARow) => paceSeconds({ inARow, window: 1 }));
  expect(paces).toEqual([0, 5, 10, 160, 300, 300]);
});

test('the pause doubles with every batch, not with every trial of one', () => {
  const paces = [10, 16, 17, 23, 24, 31, 52].map((inARow) => paceSeconds({ inARow, window: 7 }));
  expect(paces).toEqual([5, 5, 10, 10, 20, 40, 300]);
});

test('nothing has ended yet: nothing waits', () => {
  expect(paceSeconds({ inARow: 0, window: 4 })).toBe(0);
});
