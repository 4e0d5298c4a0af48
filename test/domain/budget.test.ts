import { describe, expect, test } from 'vitest';
import { allowance, changedBudget, spendOf } from '../../domain/budget.ts';
import { Budget } from '../../domain/task/budget.ts';

const NOTHING = { trials: 0, hours: 0, tokens: 0, usd: 0 };
const budget = (input: object) => Budget.parse(input);

test('what is spent counts the trials of the kinds that count, and hours of the time under way', () => {
  const used = { admitted: { search: 3, injected: 1, baseline: 10 }, tokens: 120, usd: 0.25, activeSeconds: 5400 };
  expect(spendOf({ ...used, budget: budget({}) })).toEqual({ trials: 4, hours: 1.5, tokens: 120, usd: 0.25 });
  expect(spendOf({ ...used, budget: budget({ counts: ['baseline', 'confirm'] }) }).trials).toBe(10);
});

describe('an allowance', () => {
  test('without limits is endless, and says so by null, which crosses a payload', () => {
    const spend = { trials: 1e6, hours: 1e4, tokens: 1e9, usd: 1e6 };
    expect(allowance(budget({}), spend)).toEqual({ trials: null, exhausted: null, spent: null });
  });

  test('counts trials down to zero, never below, and then says why', () => {
    const left = (trials: number) => allowance(budget({ trials: 3 }), { ...NOTHING, trials });
    expect([0, 2, 3, 5].map((trials) => left(trials).trials)).toEqual([3, 1, 0, 0]);
    expect(left(2).spent).toBeNull();
    expect(left(3)).toEqual({ trials: 0, exhausted: null, spent: 'budget.trials is spent: 3 of 3' });
  });

  test.each([
    ['hours', 1.5],
    ['tokens', 1000],
    ['usd', 0.25],
  ] as const)('forbids every run once %s reach their limit, also while trials are left', (key, limit) => {
    const limits = budget({ trials: 10, [key]: limit });
    expect(allowance(limits, { ...NOTHING, [key]: limit * 0.999 })).toMatchObject({ trials: 10, exhausted: null });
    const reason = `budget.${key} is spent: ${limit} of ${limit}`;
    expect(allowance(limits, { ...NOTHING, [key]: limit })).toEqual({ trials: 0, exhausted: reason, spent: reason });
  });

  test('with hours alone gives no trial after them', () => {
    expect(allowance(budget({ hours: 1 }), { ...NOTHING, hours: 2 }).trials).toBe(0);
  });

  test('names a spend as a number that can be read', () => {
    const { spent } = allowance(budget({ usd: 0.1 }), { ...NOTHING, usd: 0.1 + 0.2 });
    expect(spent).toBe('budget.usd is spent: 0.3 of 0.1');
  });
});

describe('a change of a budget', () => {
  test('sets what it names and leaves the rest', () => {
    const before = budget({ trials: 10, usd: 5, whenSpent: 'wait' });
    expect(changedBudget(before, { trials: 20 })).toEqual({ ...before, trials: 20 });
    expect(changedBudget(before, { counts: ['search'], whenSpent: 'stop', hours: 2, tokens: 9, usd: 6 })).toEqual({
      ...{ trials: 10, hours: 2, tokens: 9, usd: 6, counts: ['search'], whenSpent: 'stop' },
    });
    expect(changedBudget(before, {})).toEqual(before);
  });

  test('lifts the limits that it names with null, and those alone', () => {
    const before = budget({ trials: 10, usd: 5 });
    const after = changedBudget(before, { trials: null, hours: null });
    expect(Object.keys(after).sort()).toEqual(['counts', 'usd', 'whenSpent']);
    expect(allowance(after, { ...NOTHING, trials: 99 })).toEqual({ trials: null, exhausted: null, spent: null });
  });
});
