import { expect, test } from 'vitest';
import { bandOf, cornersOf } from '../../../../../../dashboard/web/parts/chart/draw/steps.ts';

test('each claim holds until the next one, the last one until the end', () => {
  expect(cornersOf([1, 5, 9], [3, 2, 1], 20)).toEqual([
    [
      [1, 3],
      [5, 3],
      [5, 2],
      [9, 2],
      [9, 1],
      [20, 1],
    ],
  ]);
});

test('an end before the last claim does not lead back', () => {
  expect(cornersOf([4], [1], 2)).toEqual([
    [
      [4, 1],
      [4, 1],
    ],
  ]);
});

test('a claim without a value is a gap', () => {
  expect(cornersOf([1, 2, 3], [1, null, 3], 4)).toHaveLength(2);
  expect(cornersOf([1, 2], [NaN, Infinity], 4)).toEqual([]);
});

test('a band goes along its upper edge and back along the lower, with a gap for an unknown side', () => {
  expect(bandOf([1, 2, 3], { low: [0, null, 4], high: [2, 3, 6], end: 5 })).toEqual([
    [
      [1, 2],
      [2, 2],
      [2, 0],
      [1, 0],
    ],
    [
      [3, 6],
      [5, 6],
      [5, 4],
      [3, 4],
    ],
  ]);
});
