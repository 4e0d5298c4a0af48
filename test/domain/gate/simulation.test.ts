import { expect, test } from 'vitest';
import { falseKeeps, power } from '../../../bench/verdicts/measure.ts';
import { simulate } from '../../../bench/verdicts/simulate.ts';
import { claimsOnTies } from '../../../bench/verdicts/ties.ts';
import { CONFIG } from './support.ts';

// A few of the researches in simulation.long.test.ts: they show a gate that keeps lucky candidates or finds no winner.

test('on equal candidates the lead makes no more false keeps than allowed, while strict keeps lucky ones', () => {
  // At most .05 a research: 4 researches make .2 on average, and more than 2 once in 900 times.
  expect(falseKeeps('normal', 'lead', 4).falseKeeps * 4).toBeLessThanOrEqual(2);
  expect(falseKeeps('normal', 'strict', 2).falseKeeps).toBeGreaterThan(3);
});

test('a candidate that is better by 3 sd is found', () => {
  expect(power(3, 'lead', 8)).toBeGreaterThanOrEqual(0.75);
});

test('on equal candidates whose runs mostly tie, hardly any research makes a false claim', () => {
  // A gate that claims on one run makes some in 7 of these 12 researches (docs/experiments/0038).
  const scene = { noise: '1 run in 11 differs', trials: 20, baselineRuns: 3 } as const;
  expect(claimsOnTies(scene, 12).researches).toBeLessThanOrEqual(2);
});

test('equal candidates that fail when they are unlucky make no claim', () => {
  // A gate that leaves failed runs out makes one in the first of these 8 researches.
  const scene = { hill: 'A/A', noise: 'normal', failing: 'if unlucky', searches: 60, window: 4 } as const;
  const claims = Array.from({ length: 8 }, (_, i) => simulate({ ...scene, config: CONFIG, seed: 70_000 + i }).keeps);
  expect(claims.reduce((a, b) => a + b, 0)).toBe(0);
});
