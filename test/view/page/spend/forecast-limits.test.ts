import { describe, expect, test } from 'vitest';
import { spendAtFirstLimit, firstLimitReached, forecastLimits } from '../../../../view/page/spend/forecast-limits.ts';

const hours = 2;

test('each limit stands where the first one to be reached leaves it', () => {
  // 10 an hour: 5 hours; 1 an hour: 20 hours, of which 5 go by.
  const limits = [
    { spent: 50, of: 100, recent: 20, hours },
    { spent: 10, of: 30, recent: 2, hours },
    { spent: 3, of: 4, recent: 0, hours },
  ];
  expect(spendAtFirstLimit(limits)).toEqual([100, 15, 3]);
});

test('where nothing is spent, or all is, no end is ahead', () => {
  expect(spendAtFirstLimit([{ spent: 1, of: 2, recent: 0, hours }])).toEqual([null]);
  expect(spendAtFirstLimit([{ spent: 2, of: 2, recent: 5, hours }])).toEqual([null]);
  expect(spendAtFirstLimit([])).toEqual([]);
});

test('the limit that is reached first is told, and none where nothing is spent any more', () => {
  const at = (hour: number) => ({ reachedAt: `2026-11-27T0${hour}:00:00.000Z`, words: `reached in ${hour} h` });
  const spent = { limit: 'hours', reachedAt: null, words: 'spent' } as const;
  expect(firstLimitReached([spent, { limit: 'trials', ...at(3) }, { limit: 'usd', ...at(2) }])).toBe(
    'the limit of money is reached in 2 h',
  );
  expect(firstLimitReached([spent])).toBe(null);
});

describe('the forecast of each limit', () => {
  const trials = { limit: 'trials', spent: 50, of: 100, recent: 20, hours } as const;
  const proposals = { limit: 'proposals', spent: 50, of: 450, recent: 20, hours } as const;
  const now = new Date('2026-11-27T00:00:00Z');

  test('has a date for the first that is reached, and says of the others that it comes first', () => {
    expect(forecastLimits([trials, proposals], { now, idle: null })).toEqual([
      { reachedAt: '2026-11-27T05:00:00.000Z', words: 'reached in 5 h at the pace of the last 24 h' },
      { reachedAt: null, words: 'not reached: the limit of trials comes first' },
    ]);
  });

  test.each([
    ['paused', 'paused'],
    ['ended', 'not reached: it has ended'],
  ] as const)('is none where the research is %s', (idle, words) => {
    expect(forecastLimits([trials], { now, idle })).toEqual([{ reachedAt: null, words }]);
  });
});
