import { expect, test } from 'vitest';
import { withinTime } from '../../infra/within-time.ts';

test('work that ends gives its value', () => {
  expect(withinTime(10_000, () => 'done')).toEqual({ done: true, value: 'done' });
});

test('an error of the work is the same error outside', () => {
  const error = new RangeError('own');
  expect(() =>
    withinTime(10_000, () => {
      throw error;
    }),
  ).toThrow(error);
});

test.each([
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  ['a regular expression that backtracks for ever', () => /^(a+)+$/.test(`${'a'.repeat(60)}b`)],
])('%s that never ends is cut off, and the next work is done', (_name, work) => {
  expect(withinTime(50, work)).toEqual({ done: false });
  expect(withinTime(10_000, () => 1)).toEqual({ done: true, value: 1 });
});
