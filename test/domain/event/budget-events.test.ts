import { expect, test } from 'vitest';
import { budgetEvents } from '../../../domain/event/budget-events.ts';
import type { Budget } from '../../../domain/schema/budget.ts';

const budget = (limits: Partial<Budget>): Budget => ({ counts: ['search'], whenSpent: 'stop', ...limits });
const spend = {
  trials: 0,
  proposals: 0,
  hours: 0,
  hoursWithoutClaim: 0,
  slotSeconds: 0,
  tokens: 0,
  usd: 0,
  withoutNew: 0,
};

test.each([
  [49, []],
  [50, [50]],
  [79, [50]],
  [80, [80]],
  [99, [80]],
  [100, [100]],
  [130, [100]],
])('%i of 100 trials report the shares %j', (trials, shares) => {
  const events = budgetEvents('r', budget({ trials: 100 }), { ...spend, trials });
  expect(events.map(({ data }) => (data as { share: number }).share)).toEqual(shares);
});

test('each limit has an event of its own; a limit of 0 or none has no event', () => {
  const events = budgetEvents('r', budget({ trials: 0, hours: 0.3, usd: 2 }), {
    ...spend,
    hours: 0.15,
    tokens: 9,
    usd: 5,
  });
  expect(events.map(({ data }) => data)).toEqual([
    { limit: 'hours', share: 50, spent: 0.15, of: 0.3 },
    { limit: 'usd', share: 100, spent: 5, of: 2 },
  ]);
});
