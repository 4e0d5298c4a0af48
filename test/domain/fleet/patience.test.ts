import { expect, test } from 'vitest';
import { createPatience } from '../../../domain/fleet/patience.ts';

/** Whether patience is over after failures at these seconds, with a limit of ten minutes. */
function over(
  seconds: number[],
  { key = () => 'run', forgetMs }: { key?: (index: number) => string; forgetMs?: number } = {},
): boolean[] {
  const patience = createPatience(600_000, forgetMs === undefined ? {} : { forgetMs });
  return seconds.map((at, index) => patience.isOver(key(index), at * 1000));
}

test('what fails every few seconds for ten minutes has failed for too long', () => {
  const seconds = Array.from({ length: 201 }, (_, n) => n * 3);
  expect(over(seconds).indexOf(true)).toBe(200);
});

test('what went well in between begins anew, however often it failed before', () => {
  const outage = Array.from({ length: 150 }, (_, n) => n * 3);
  const later = outage.map((at) => at + 4000);
  expect(over([...outage, ...later, 9000])).not.toContain(true);
});

test('what takes minutes to fail is tried ten times', () => {
  const slow = Array.from({ length: 12 }, (_, n) => n * 300);
  expect(over(slow).indexOf(true)).toBe(9);
});

test('what takes hours to fail is tried ten times, too, unless so long without a failure is known to have gone well', () => {
  const hourly = Array.from({ length: 40 }, (_, n) => n * 4000);
  expect(over(hourly).indexOf(true)).toBe(9);
  expect(over(hourly, { forgetMs: 3_600_000 })).not.toContain(true);
  const more = hourly.map((at) => at / 2);
  expect(over(more, { forgetMs: 3_600_000 }).indexOf(true)).toBe(9);
});

test('failures of others do not count', () => {
  const seconds = Array.from({ length: 400 }, (_, n) => n * 3);
  expect(over(seconds, { key: (index) => `run ${Math.floor(index / 100)}` })).not.toContain(true);
});
