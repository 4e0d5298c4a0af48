import { expect, test } from 'vitest';
import { activeSecondsAt } from '../../../domain/research/budget.ts';

test('time under way goes on from what was counted', () => {
  expect(activeSecondsAt({ activeSeconds: 10, activeSince: 1000 }, 6000, 120_000)).toBe(15);
});

test('a pause does not count', () => {
  expect(activeSecondsAt({ activeSeconds: 10, activeSince: null }, 999_000, 120_000)).toBe(10);
});

test('a night in which the stack was down counts as the longest stretch at most', () => {
  expect(activeSecondsAt({ activeSeconds: 10, activeSince: 0 }, 8 * 3600_000, 120_000)).toBe(130);
});
