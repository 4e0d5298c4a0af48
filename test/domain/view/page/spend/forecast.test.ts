import { expect, test } from 'vitest';
import { atEndOf, firstEnd } from '../../../../../domain/view/page/spend/forecast.ts';

const hours = 2;

test('each limit stands where the first one to be reached leaves it', () => {
  // 10 an hour: 5 hours; 1 an hour: 20 hours, of which 5 go by.
  const limits = [
    { spent: 50, of: 100, recent: 20, hours },
    { spent: 10, of: 30, recent: 2, hours },
    { spent: 3, of: 4, recent: 0, hours },
  ];
  expect(atEndOf(limits)).toEqual([100, 15, 3]);
});

test('where nothing is spent, or all is, no end is ahead', () => {
  expect(atEndOf([{ spent: 1, of: 2, recent: 0, hours }])).toEqual([null]);
  expect(atEndOf([{ spent: 2, of: 2, recent: 5, hours }])).toEqual([null]);
  expect(atEndOf([])).toEqual([]);
});

test('the limit that is reached first is told, and none where nothing is spent any more', () => {
  const at = (hour: number) => ({ reachedAt: `2026-11-27T0${hour}:00:00.000Z`, words: `reached in ${hour} h` });
  const spent = { limit: 'hours', reachedAt: null, words: 'spent' } as const;
  expect(firstEnd([spent, { limit: 'trials', ...at(3) }, { limit: 'usd', ...at(2) }])).toBe(
    'the limit of money is reached in 2 h',
  );
  expect(firstEnd([spent])).toBe(null);
});
