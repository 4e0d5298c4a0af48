import { describe, expect, test } from 'vitest';
import { spendAtFirstLimit, firstLimitReached, forecastLimits } from '../../../../view/page/spend/forecast-limits.ts';

test('the spend of each limit is forecast for the time at which the first limit is reached', () => {
  // The first limit is reached in 5 hours at 10 an hour. The second would take 20 hours at 1 an hour.
  const limits = [
    { spent: 50, of: 100, perHour: 10 },
    { spent: 10, of: 30, perHour: 1 },
    { spent: 3, of: 4, perHour: 0 },
  ];
  expect(spendAtFirstLimit(limits)).toEqual([100, 15, 3]);
});

test('there is no forecast if nothing is spent any more, or everything is', () => {
  expect(spendAtFirstLimit([{ spent: 1, of: 2, perHour: 0 }])).toEqual([null]);
  expect(spendAtFirstLimit([{ spent: 2, of: 2, perHour: 2.5 }])).toEqual([null]);
  expect(spendAtFirstLimit([])).toEqual([]);
});

test('the limit that is reached first is named, and none if all are spent', () => {
  const at = (hour: number) => ({ reachedAt: `2026-11-27T0${hour}:00:00.000Z`, words: `reached in ${hour} h` });
  const spent = { limit: 'hours', reachedAt: null, words: 'spent' } as const;
  expect(firstLimitReached([spent, { limit: 'trials', ...at(3) }, { limit: 'usd', ...at(2) }])).toBe(
    'the limit of money is reached in 2 h',
  );
  expect(firstLimitReached([spent])).toBe(null);
});

describe('the forecast of each limit', () => {
  const trials = { limit: 'trials', spent: 50, of: 100, perHour: 10 } as const;
  const proposals = { limit: 'proposals', spent: 50, of: 450, perHour: 10 } as const;
  const now = new Date('2026-11-27T00:00:00Z');

  test('has a date for the first limit that is reached, and the others name that limit', () => {
    expect(forecastLimits([trials, proposals], { now, idle: null })).toEqual([
      { reachedAt: '2026-11-27T05:00:00.000Z', words: 'reached in 5 h at the pace of the last 24 h' },
      { reachedAt: null, words: 'not reached: the limit of trials comes first' },
    ]);
  });

  test('has no date for any limit once one is spent, and names the spent one', () => {
    const forecasts = forecastLimits([{ ...trials, spent: 100 }, proposals], { now, idle: null });
    expect(forecasts).toEqual([
      { reachedAt: null, words: 'spent' },
      { reachedAt: null, words: 'not reached: the limit of trials is spent' },
    ]);
    expect(
      firstLimitReached(forecasts.map((forecast, i) => ({ ...forecast, limit: [trials, proposals][i]!.limit }))),
    ).toBe(null);
    expect(spendAtFirstLimit([{ ...trials, spent: 100 }, proposals])).toEqual([null, null]);
  });

  test('has no date before the first proposal, but for the hours', () => {
    const unknown = { ...trials, perHour: null };
    expect(forecastLimits([unknown, { limit: 'hours', spent: 1, of: 3, perHour: 1 }], { now, idle: null })).toEqual([
      { reachedAt: null, words: 'not known before the first proposal' },
      { reachedAt: '2026-11-27T02:00:00.000Z', words: 'reached in 2 h at the pace of the last 24 h' },
    ]);
    expect(spendAtFirstLimit([unknown, { spent: 1, of: 3, perHour: 1 }])).toEqual([null, 3]);
  });

  test.each([
    ['paused', 'paused'],
    ['ended', 'not reached: the research has ended'],
  ] as const)('has no date if the research is %s', (idle, words) => {
    expect(forecastLimits([trials], { now, idle })).toEqual([{ reachedAt: null, words }]);
  });
});
