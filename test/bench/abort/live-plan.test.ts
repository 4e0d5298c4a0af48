import { expect, it } from 'vitest';
import { livePlanOf } from '../../../bench/abort/live-plan.ts';

it('takes numbers in order, and what is usual for the rest', () => {
  expect(livePlanOf([])).toEqual([10, 150, 1, 30]);
  expect(livePlanOf(['2', '30', '0.5', '0'])).toEqual([2, 30, 0.5, 0]);
});

it.each([
  [['--help'], 'pairs: expected a whole number from 1 on, came --help'],
  [['1.5'], 'pairs: expected a whole number from 1 on, came 1.5'],
  [['1', ''], 'slot seconds: expected a number from 1 on, came '],
  [['1', '1', 'Infinity'], 'budget of a run, reference seconds: expected a number from 0.1 on, came Infinity'],
  [['1', '1', '1', '-1'], 'would-be stops that all run on: expected a whole number from 0 on, came -1'],
  [['1', '1', '1', '1', 'x'], 'expected at most 4 numbers, came 1 1 1 1 x'],
])('refuses %j before any server starts', (args, message) => {
  expect(() => livePlanOf(args)).toThrow(message);
});
