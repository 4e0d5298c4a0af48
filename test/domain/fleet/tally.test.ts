import { expect, test } from 'vitest';
import { createTally } from '../../../domain/fleet/tally.ts';

const HOUR_MS = 3_600_000;

test('counts each key for itself, until its row is over', () => {
  const tally = createTally();
  expect([tally.add('a', 0), tally.add('b', 0), tally.add('a', 1)]).toEqual([1, 1, 2]);
  tally.forget('a');
  expect([tally.add('a', 2), tally.add('b', 2)]).toEqual([1, 2]);
});

test('forgets what nothing was added to for two days', () => {
  const tally = createTally();
  tally.add('a', 0);
  tally.add('b', 0);
  expect(tally.add('b', 40 * HOUR_MS)).toBe(2);
  expect([tally.add('a', 49 * HOUR_MS), tally.add('b', 49 * HOUR_MS)]).toEqual([1, 3]);
});
