import { expect, test } from 'vitest';
import { differenceOf, rewardStatisticsOf, rangesOf } from '../../../view/policy/reward-statistics.ts';

const completed = (reward: number) => ({ status: 'completed' as const, reward });

test('rewards are those of ended samples; a sample without a reward counts only as ended', () => {
  const samples = [
    completed(1),
    completed(3),
    { status: 'lost' as const, reward: null },
    { status: null, reward: null },
  ];
  expect(rewardStatisticsOf(samples)).toEqual({ drawn: 4, ended: 3, n: 2, mean: 2, sd: Math.SQRT2, completed: 2 / 3 });
});

test('the statistics of no samples are null', () => {
  expect(rewardStatisticsOf([])).toEqual({ drawn: 0, ended: 0, n: 0, mean: null, sd: null, completed: null });
});

test('a difference is B minus A, with the standard error of two means', () => {
  const [a, b] = [rewardStatisticsOf([1, 3].map(completed)), rewardStatisticsOf([4, 6, 8].map(completed))];
  expect(differenceOf(a, b)).toEqual({
    value: 4,
    standardError: expect.closeTo(Math.sqrt(2 / 2 + 4 / 3), 12) as number,
  });
});

test('one sample has no standard error, and no samples have no difference', () => {
  const one = rewardStatisticsOf([completed(1)]);
  expect(differenceOf(one, rewardStatisticsOf([2, 3].map(completed)))).toEqual({ value: 1.5, standardError: null });
  expect(differenceOf(one, rewardStatisticsOf([]))).toBeNull();
});

test.each([
  [[], ''],
  [[4], '#4'],
  [[7, 1, 2, 3, 9], '#1–#3, #7, #9'],
  [[1, 2], '#1–#2'],
])('%j reads as %s', (numbers, text) => {
  expect(rangesOf(numbers)).toBe(text);
});
