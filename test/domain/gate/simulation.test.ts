import { expect, test } from 'vitest';
import { falseKeeps, power } from '../../../bench/verdicts/measure.ts';

// A few of the researches in simulation.long.test.ts: they show a gate that keeps lucky candidates or finds no winner.

test('on equal candidates the lead makes no more false keeps than allowed, while strict keeps lucky ones', () => {
  // At most .05 a research: 4 researches make .2 on average, and more than 2 once in 900 times.
  expect(falseKeeps('normal', 'lead', 4).falseKeeps * 4).toBeLessThanOrEqual(2);
  expect(falseKeeps('normal', 'strict', 2).falseKeeps).toBeGreaterThan(3);
});

test('a candidate that is better by 3 sd is found', () => {
  expect(power(3, 'lead', 8)).toBeGreaterThanOrEqual(0.75);
});
