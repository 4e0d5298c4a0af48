import { expect, test } from 'vitest';
import { restartPause } from '../../../domain/job.ts';

const RESTART = { firstSeconds: 0.5, mostSeconds: 10 };

test('the pause doubles with each run that was not good, up to the most', () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((failed) => restartPause(RESTART, failed))).toEqual([0.5, 1, 2, 4, 8, 10, 10]);
});

test('after a good run it is the first again', () => {
  expect(restartPause(RESTART, 0)).toBe(0.5);
});

test.each([1000, 100_000, 2 ** 31])('after %d runs it is still the most', (failed) => {
  expect(restartPause(RESTART, failed)).toBe(10);
});
