import { expect, test } from 'vitest';
import { rangesOf } from '../../../view/policy/compare.ts';

test.each([
  [[], ''],
  [[4], '#4'],
  [[7, 1, 2, 3, 9], '#1–#3, #7, #9'],
  [[1, 2], '#1–#2'],
])('%j reads as %s', (numbers, text) => {
  expect(rangesOf(numbers)).toBe(text);
});
