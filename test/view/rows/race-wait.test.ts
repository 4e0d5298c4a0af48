import { describe, expect, test } from 'vitest';
import { describeRaceWait } from '../../../view/standing.ts';

const NONE = { spent: 0, limit: null };
const FREE = { trials: NONE, proposals: NONE, hours: NONE, slotSeconds: NONE, tokens: NONE, usd: NONE };
const saving = { words: 'the budget of races: saved up after 151 more trials', runs: 151 };

describe('what the race of a lead waits for', () => {
  test('is nothing where it is about to begin, and any other obstacle in its own words', () => {
    expect(describeRaceWait(null, FREE)).toBeNull();
    const race = { words: 'the race of #40', runs: null };
    expect(describeRaceWait(race, { ...FREE, trials: { spent: 60, limit: 60 } })).toBe('the race of #40');
  });

  test('is the budget of races while the search lasts so long', () => {
    expect(describeRaceWait(saving, FREE)).toBe(saving.words);
    expect(describeRaceWait(saving, { ...FREE, trials: { spent: 49, limit: 200 } })).toBe(saving.words);
  });

  test.each([
    [50, 200, 'the end of the search, after 150 more trials at most: it is raced then, whatever earlier races took'],
    [59, 60, 'the end of the search, after 1 more trial at most: it is raced then, whatever earlier races took'],
    [60, 60, 'what is under way: it is raced then, whatever earlier races took'],
  ])('after %i of %i trials is %s', (spent, limit, words) => {
    expect(describeRaceWait(saving, { ...FREE, trials: { spent, limit } })).toBe(words);
    expect(describeRaceWait(saving, { ...FREE, proposals: { spent, limit } })).toBe(words);
  });

  test('names the limits under which no race begins', () => {
    const limits = { ...FREE, hours: { spent: 1, limit: 8 }, usd: { spent: 1, limit: 5 } };
    expect(describeRaceWait(saving, limits)).toBe(
      `${saving.words}; if budget.hours or budget.usd is spent first, it is not raced until you raise that`,
    );
  });
});
