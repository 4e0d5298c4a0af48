import { expect, test } from 'vitest';
import { describeBudget } from '../../view/budget.ts';

const free = {
  trials: { spent: 12, limit: null },
  proposals: { spent: 14, limit: null },
  hours: { spent: 0.2, limit: null },
  slotSeconds: { spent: 61, limit: null },
  tokens: { spent: 0, limit: null },
  usd: { spent: 0, limit: null },
  whenSpent: 'stop' as const,
};

test('a budget is what is spent of each limit, and what comes then', () => {
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
    '12 of 500 trials · 14 of 2050 proposals · 0.21 of 12 hours · 1 min 1 s of 1 h on slots · 12.3k of 1.0M tokens · $0.0400 of $5.00 · then it stops',
  );
});

test('a budget that is spent says what ends first', () => {
  expect(describeBudget({ ...free, trials: { spent: 14, limit: 3 } }, 'running')).toBe(
    '14 of 3 trials · spent: what runs, and what the gate still wants run, ends first · then it stops',
  );
});

test('a budget says no more of what comes where the research has ended', () => {
  expect(describeBudget({ ...free, trials: { spent: 3, limit: 3 } }, 'stopped')).toBe('3 of 3 trials');
});

test('a budget without limits says so', () => {
  expect(describeBudget(free, 'running')).toBe('no limit');
});
