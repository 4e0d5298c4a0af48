import { describe, expect, test } from 'vitest';
import {
  allowance,
  changedBudget,
  countOutcome,
  budgetLimit,
  spendOf,
  activeSecondsAt,
} from '../../../domain/research/budget.ts';
import { Budget } from '../../../domain/schema/budget.ts';
import { TRIAL_KINDS, TRIAL_STATUSES } from '../../../domain/trial.ts';

const NOTHING = {
  trials: 0,
  proposals: 0,
  hours: 0,
  hoursWithoutClaim: 0,
  slotSeconds: 0,
  tokens: 0,
  usd: 0,
  withoutNew: 0,
};
const NONE = { slotSeconds: 0, refunded: {}, withoutNew: 0 };
const budget = (input: object) => Budget.parse(input);

describe('the spend', () => {
  const used = {
    admitted: { search: 7, injected: 1, baseline: 10 },
    refunded: { search: 4 },
    withoutNew: 2,
    slotSeconds: 61,
    tokens: 120,
    usd: 0.25,
    activeSeconds: 5400,
    secondsAtClaim: 3600,
  };

  test('has the counted trials without refunds, all proposals, and the hours under way', () => {
    expect(spendOf({ ...used, budget: budget({}) })).toEqual({
      trials: 4,
      proposals: 8,
      hours: 1.5,
      hoursWithoutClaim: 0.5,
      slotSeconds: 61,
      tokens: 120,
      usd: 0.25,
      withoutNew: 2,
    });
    const spend = spendOf({ ...used, budget: budget({ counts: ['baseline', 'confirm'] }) });
    expect(spend).toMatchObject({ trials: 10, proposals: 8 });
  });

  test.each(TRIAL_KINDS)('refunds a trial of kind %s if it was cached or rejected, and no other one', (kind) => {
    const givenBack = TRIAL_STATUSES.filter((status) => {
      const { refunded } = countOutcome(
        { ...NONE, refunded: { [kind]: 3 } },
        { kind, status, failure: null, seconds: null, runsBefore: null },
      );
      expect(Object.keys(refunded)).toEqual([kind]);
      return refunded[kind] === 4;
    });
    expect(givenBack).toEqual(['rejected', 'cached']);
  });

  test.each(TRIAL_KINDS)('refunds a trial of kind %s that the database ended, with its seconds charged', (kind) => {
    const before = { ...NONE, withoutNew: 7 };
    const ended = { kind, status: 'lost', seconds: 4, runsBefore: null } as const;
    expect(countOutcome(before, { ...ended, failure: 'database-failed' })).toEqual({
      slotSeconds: 4,
      refunded: { [kind]: 1 },
      withoutNew: 7,
    });
    expect(countOutcome(before, { ...ended, failure: 'machine-lost' }).refunded).toEqual({});
  });

  test('adds up the seconds of trials on slots', () => {
    const ended = { kind: 'search' as const, status: 'crashed' as const, failure: null, runsBefore: null };
    const once = countOutcome(NONE, { ...ended, seconds: 2.5 });
    expect(countOutcome(once, { ...ended, seconds: 1 }).slotSeconds).toBe(3.5);
    expect(countOutcome(once, { ...ended, seconds: null }).slotSeconds).toBe(2.5);
  });

  test('counts a copy that ran as a trial, and not as a new candidate', () => {
    const copy = { kind: 'search', status: 'completed', failure: null, seconds: 1, runsBefore: 1 } as const;
    expect(countOutcome({ ...NONE, withoutNew: 7 }, copy)).toMatchObject({ refunded: {}, withoutNew: 8 });
    expect(countOutcome({ ...NONE, withoutNew: 7 }, { ...copy, runsBefore: 0 }).withoutNew).toBe(0);
  });

  test('counts proposals in a row without a new candidate; only a new candidate ends the row', () => {
    const after = (row: readonly (readonly ['search' | 'baseline' | 'injected', 'cached' | 'rejected' | 'lost'])[]) =>
      row.reduce(
        (counters, [kind, status]) =>
          countOutcome(counters, { kind, status, failure: null, seconds: null, runsBefore: null }),
        NONE,
      ).withoutNew;
    expect(
      after([
        ['search', 'cached'],
        ['search', 'rejected'],
        ['baseline', 'lost'],
      ]),
    ).toBe(2);
    expect(
      after([
        ['search', 'cached'],
        ['search', 'lost'],
        ['search', 'cached'],
      ]),
    ).toBe(1);
    expect(
      after([
        ['search', 'cached'],
        ['injected', 'lost'],
      ]),
    ).toBe(0);
  });
});

describe('an allowance', () => {
  test('without limits is endless, as null, which survives a payload', () => {
    const spend = { ...NOTHING, trials: 1e6, proposals: 1e7, hours: 1e4, slotSeconds: 1e9, tokens: 1e9, usd: 1e6 };
    expect(allowance(budget({}), spend)).toEqual({ trials: null, proposals: null, exhausted: null, spent: null });
  });

  test('counts trials down to zero, never below, and then has the reason', () => {
    const left = (trials: number) => allowance(budget({ trials: 3 }), { ...NOTHING, trials });
    expect([0, 2, 3, 5].map((trials) => left(trials).trials)).toEqual([3, 1, 0, 0]);
    expect(left(2).spent).toBeNull();
    expect(left(3)).toEqual({ trials: 0, proposals: 62, exhausted: null, spent: 'budget.trials is spent: 3 of 3' });
  });

  test.each([
    ['hours', 1.5],
    ['slotSeconds', 600],
    ['tokens', 1000],
    ['usd', 0.25],
  ] as const)('forbids every run once %s reach their limit, also while trials are left', (key, limit) => {
    const limits = budget({ trials: 10, [key]: limit });
    expect(allowance(limits, { ...NOTHING, [key]: limit * 0.999 })).toMatchObject({ trials: 10, exhausted: null });
    const spent = `budget.${key} is spent: ${limit} of ${limit}`;
    expect(allowance(limits, { ...NOTHING, [key]: limit })).toEqual({
      trials: 0,
      proposals: 0,
      exhausted: spent,
      spent,
    });
  });

  test('without a claim for so many hours forbids proposals, but not the runs of a race', () => {
    const limits = budget({ trials: 9, hoursWithoutClaim: 4 });
    expect(allowance(limits, { ...NOTHING, hours: 30, hoursWithoutClaim: 3.9 })).toMatchObject({ spent: null });
    expect(allowance(limits, { ...NOTHING, hours: 30, hoursWithoutClaim: 4 })).toEqual({
      trials: 9,
      proposals: 0,
      exhausted: null,
      spent: 'budget.hoursWithoutClaim is spent: 4 of 4',
    });
  });

  test('with only hours gives no trial after them', () => {
    expect(allowance(budget({ hours: 1 }), { ...NOTHING, hours: 2 }).trials).toBe(0);
  });

  test('rounds a spend to a readable number', () => {
    const { spent } = allowance(budget({ usd: 0.1 }), { ...NOTHING, usd: 0.1 + 0.2 });
    expect(spent).toBe('budget.usd is spent: 0.3 of 0.1');
  });

  test('limits proposals to 50 plus four for each trial, unless the budget sets a limit', () => {
    const spend = { ...NOTHING, trials: 2, proposals: 90 };
    const derived = 'budget.proposals is spent: 90 of 90 (default: 4 × budget.trials + 50)';
    expect(allowance(budget({ trials: 10 }), spend)).toEqual({
      trials: 8,
      proposals: 0,
      exhausted: null,
      spent: derived,
    });
    expect(allowance(budget({ trials: 10 }), { ...spend, proposals: 89 })).toMatchObject({ proposals: 1, spent: null });
    expect(allowance(budget({ trials: 10, proposals: 95 }), spend)).toMatchObject({ proposals: 5, spent: null });
    expect(allowance(budget({ proposals: 90 }), spend)).toEqual({
      trials: null,
      proposals: 0,
      exhausted: null,
      spent: 'budget.proposals is spent: 90 of 90',
    });
  });

  test('without a limit of trials or proposals ends after 200 proposals in a row without a new candidate', () => {
    const spend = { ...NOTHING, proposals: 1000 };
    expect(allowance(budget({ hours: 9 }), { ...spend, withoutNew: 199 })).toMatchObject({ spent: null });
    expect(allowance(budget({ hours: 9 }), { ...spend, withoutNew: 200 })).toEqual({
      trials: null,
      proposals: 0,
      exhausted: null,
      spent: expect.stringMatching(/^the last 200 proposals gave no new candidate: .*budget\.proposals/) as unknown,
    });
    for (const limit of [{ proposals: 5000 }, { trials: 500 }])
      expect(allowance(budget(limit), { ...spend, withoutNew: 1000 }).spent).toBeNull();
  });
});

describe('a change of a budget', () => {
  test('sets what it names and leaves the rest', () => {
    const before = budget({ trials: 10, usd: 5, whenSpent: 'wait' });
    expect(changedBudget(before, { trials: 20 })).toEqual({ ...before, trials: 20 });
    const change = { proposals: 70, hours: 2, slotSeconds: 60, tokens: 9, usd: 6 };
    expect(changedBudget(before, { ...change, counts: ['search'], whenSpent: 'stop' })).toEqual({
      trials: 10,
      ...change,
      counts: ['search'],
      whenSpent: 'stop',
    });
    expect(changedBudget(before, {})).toEqual(before);
  });

  test('lifts the limits that it names with null, and those alone', () => {
    const before = budget({ trials: 10, usd: 5 });
    const after = changedBudget(before, { trials: null, hours: null });
    expect(Object.keys(after).sort()).toEqual(['counts', 'usd', 'whenSpent']);
    expect(allowance(after, { ...NOTHING, trials: 99 })).toMatchObject({ trials: null, proposals: null, spent: null });
  });

  test('derives the limit of proposals again, unless it is set', () => {
    const before = budget({ trials: 10 });
    const limit = (change: object) => budgetLimit(changedBudget(before, change), 'proposals');
    expect([{}, { trials: 20 }, { trials: null }, { trials: 20, proposals: 7 }].map(limit)).toEqual([90, 130, null, 7]);
    expect(budgetLimit(changedBudget(budget({ trials: 10, proposals: 7 }), { proposals: null }), 'proposals')).toBe(90);
  });
});

test('time under way continues from the stored count', () => {
  expect(activeSecondsAt({ activeSeconds: 10, activeSince: 1000 }, 6000, 120_000)).toBe(15);
});

test('a pause does not count as time under way', () => {
  expect(activeSecondsAt({ activeSeconds: 10, activeSince: null }, 999_000, 120_000)).toBe(10);
});

test('a night in which the stack was down counts as at most the longest stretch', () => {
  expect(activeSecondsAt({ activeSeconds: 10, activeSince: 0 }, 8 * 3600_000, 120_000)).toBe(130);
});
