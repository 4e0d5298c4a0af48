import { expect, test } from 'vitest';
import { falseKeeps, power } from '../../../bench/verdicts/measure.ts';

// Few researches of those in simulation.long.test.ts: enough to see a gate that keeps what is lucky, or that finds nothing.

test('on equal candidates the lead keeps no more than are allowed, where strict keeps the lucky', () => {
  // Expected at most .05 a research: 4 see .2 of them, and more than 2 once in 900 times.
  expect(falseKeeps('normal', 'lead', 4).falseKeeps * 4).toBeLessThanOrEqual(2);
  expect(falseKeeps('normal', 'strict', 2).falseKeeps).toBeGreaterThan(3);
});

test('a candidate that is better by 3 sd is found', () => {
  expect(power(3, 'lead', 8)).toBeGreaterThanOrEqual(0.75);
});
