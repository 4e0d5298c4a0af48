import { expect, test } from 'vitest';
import { lossPaceSeconds, paceSeconds } from '../../domain/pace.ts';

test('rubbish in a row slows proposals down, longer each time up to a limit', () => {
  const rejected = (count: number) => Array.from({ length: count }, () => 'rejected' as const);
  expect([9, 10, 11, 15, 20].map((count) => paceSeconds(rejected(count)))).toEqual([0, 5, 10, 160, 300]);
});

test('lost and cached trials count as rubbish does, and one good outcome ends it', () => {
  const lost = Array.from({ length: 12 }, () => 'lost' as const);
  expect(paceSeconds(lost)).toBe(20);
  expect(paceSeconds(Array.from({ length: 10 }, () => 'cached' as const))).toBe(5);
  expect(paceSeconds(['completed', ...lost])).toBe(0);
  expect(paceSeconds([...lost.slice(0, 9), 'crashed', ...lost])).toBe(0);
});

test('nothing has ended yet: nothing waits', () => {
  expect(paceSeconds([])).toBe(0);
});

test('what machines lose in a row slows every kind of run down; what a candidate breaks does not', () => {
  expect(lossPaceSeconds(Array.from({ length: 11 }, () => 'lost' as const))).toBe(10);
  expect(lossPaceSeconds(Array.from({ length: 20 }, () => 'crashed' as const))).toBe(0);
});
