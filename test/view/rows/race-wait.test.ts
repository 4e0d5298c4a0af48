import { describe, expect, test } from 'vitest';
import { describeRaceWait } from '../../../view/standing.ts';

const NONE = { spent: 0, limit: null };
const FREE = { trials: NONE, proposals: NONE, hours: NONE, slotSeconds: NONE, tokens: NONE, usd: NONE };
const saving = { words: 'its race needs 12 runs; the budget of races has them after 151 more trials', runs: 151 };

describe('the obstacle of the race of a lead', () => {
  test('is null if the race is about to begin, and otherwise has its own words', () => {
    expect(describeRaceWait(null, FREE)).toBeNull();
    const race = { words: 'its race waits for the race of #40', runs: null };
    expect(describeRaceWait(race, { ...FREE, trials: { spent: 60, limit: 60 } })).toBe(race.words);
  });

  test('is the budget of races if the search lasts long enough', () => {
    expect(describeRaceWait(saving, FREE)).toBe(saving.words);
    expect(describeRaceWait(saving, { ...FREE, trials: { spent: 49, limit: 200 } })).toBe(saving.words);
  });

  test.each([
    [50, 200, 'its race starts when the search ends, after at most 150 more trials'],
    [59, 60, 'its race starts when the search ends, after at most 1 more trial'],
    [60, 60, 'its race starts when the trials under way have ended'],
  ])('is the end of the search after %i of %i trials: %s', (spent, limit, start) => {
    const words = `${start}, even if the budget of races is too small`;
    expect(describeRaceWait(saving, { ...FREE, trials: { spent, limit } })).toBe(words);
    expect(describeRaceWait(saving, { ...FREE, proposals: { spent, limit } })).toBe(words);
  });

  test('names the limits that prevent a race', () => {
    const limits = { ...FREE, hours: { spent: 1, limit: 8 }, usd: { spent: 1, limit: 5 } };
    expect(describeRaceWait(saving, limits)).toBe(
      `${saving.words}; if budget.hours or budget.usd is spent first, the race starts only after you raise it`,
    );
  });
});
