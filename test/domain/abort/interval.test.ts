import { expect, test } from 'vitest';
import { intervalOf } from '../../../domain/abort/interval.ts';

test('an interval has its ends in order, and is none where it goes beyond all numbers', () => {
  expect(intervalOf(3, -1)).toEqual({ low: -1, high: 3 });
  expect([intervalOf(-1e308 * 10, 1), intervalOf(NaN, 1)]).toEqual([null, null]);
});
