import { expect, test } from 'vitest';
import { describeBudget } from '../../view/budget.ts';

const free = {
  trials: { spent: 12, limit: null },
  proposals: { spent: 14, limit: null },
  hours: { spent: 0.2, limit: null },
  hoursWithoutClaim: { spent: 0.2, limit: null },
  slotSeconds: { spent: 61, limit: null },
  tokens: { spent: 0, limit: null },
  usd: { spent: 0, limit: null },
  whenSpent: 'stop' as const,
};

test('a budget shows the spend of each limit, and what follows', () => {
  const limited = {
    ...free,
    trials: { spent: 12, limit: 500 },
    proposals: { spent: 14, limit: 2050 },
    hours: { spent: 0.213, limit: 12 },
    slotSeconds: { spent: 61, limit: 3600 },
    tokens: { spent: 12_345, limit: 1e6 },
    usd: { spent: 0.04, limit: 5 },
  };
  expect(describeBudget(limited, 'running')).toBe(
    '12 of 500 trials used · 14 of 2050 proposals used · 0.21 of 12 hours used · 1 min 1 s of 1 h on slots used · ' +
      '12.3k of 1.0M tokens used · $0.0400 of $5.00 used · then the research stops',
  );
});

test('a spent budget names the trials that end first', () => {
  expect(describeBudget({ ...free, trials: { spent: 14, limit: 3 } }, 'running')).toBe(
    '14 of 3 trials used up · trials under way, and runs that the gate needs, end first · then the research stops',
  );
});

test('the budget of an ended research does not state what follows', () => {
  expect(describeBudget({ ...free, trials: { spent: 3, limit: 3 } }, 'stopped')).toBe('3 of 3 trials used up');
});

test('a budget without limits is shown as "no limit"', () => {
  expect(describeBudget(free, 'running')).toBe('no limit');
});
