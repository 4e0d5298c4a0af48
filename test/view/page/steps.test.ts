import { expect, test } from 'vitest';
import { numbersOf, stepsOf } from '../../../view/page/steps.ts';

test.each([[[]], [[7]], [[3, 2, 1]], [[12, 500, 1, 1]]])('the steps of %j lead back to it', (numbers) => {
  expect(numbersOf(stepsOf(numbers))).toEqual(numbers);
});

test('numbers that follow each other are the same step again and again', () => {
  expect(stepsOf([9, 8, 7, 6])).toEqual([9, -1, -1, -1]);
});
