import { expect, test } from 'vitest';
import { createActiveClock } from '../../../../cli/up/view/active-clock.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 1) + seconds * 1000);

test('it goes on between two records and never back', () => {
  const clock = createActiveClock();
  expect(clock(100, 'running', at(0))).toBe(100);
  expect(clock(100, 'running', at(30))).toBe(130);
  expect(clock(128, 'running', at(31))).toBe(130);
  expect(clock(128, 'running', at(41))).toBe(138);
});

test('neither a pause nor a stack that is stopped is counted', () => {
  const clock = createActiveClock();
  expect(clock(100, 'paused', at(0))).toBe(100);
  expect(clock(100, 'paused', at(9000))).toBe(100);
  const stopped = createActiveClock();
  expect(stopped(100, 'running', at(0))).toBe(100);
  expect(stopped(100, 'running', at(9000))).toBe(165);
});
