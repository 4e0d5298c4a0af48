import { expect, test } from 'vitest';
import { createPatience } from '../../../domain/fleet/patience.ts';

/** Whether patience is over after failures at these seconds, with a limit of ten minutes. */
function over(seconds: number[], { key = () => 'run' }: { key?: (index: number) => string } = {}): boolean[] {
  const patience = createPatience(600_000);
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

test('failures of others do not count', () => {
  const seconds = Array.from({ length: 400 }, (_, n) => n * 3);
  expect(over(seconds, { key: (index) => `run ${Math.floor(index / 100)}` })).not.toContain(true);
});
