import { expect, test } from 'vitest';
import { padded, robustRange } from '../../../../../dashboard/web/parts/chart/range.ts';

/** Values around 3 that repeat. */
const usual = (count: number): number[] => Array.from({ length: count }, (_, index) => 3 + ((index * 37) % 100) / 1000);

test('a few wild values neither stretch the axis nor are forgotten', () => {
  const range = robustRange([...usual(300), 40, 1e9, -1e9]);
  expect(range).toMatchObject({ above: 2, below: 1 });
  expect(range?.max).toBeLessThan(3.2);
  expect(range?.min).toBeGreaterThan(2.9);
});

test('one wild value among few does not stretch the axis', () => {
  expect(robustRange([1, 1.1, 1.2, 1.15, 1e6])).toEqual({ min: 1, max: 1.2, below: 0, above: 1 });
});

test('what must be shown is shown, however far it is', () => {
  expect(robustRange(usual(300), [-50, null])).toMatchObject({ min: -50, below: 0 });
});

test('values that are all alike have no outliers but their own width', () => {
  expect(robustRange(Array<number>(50).fill(2))).toEqual({ min: 2, max: 2, below: 0, above: 0 });
  expect(robustRange([...Array<number>(99).fill(2), 7])).toEqual({ min: 2, max: 7, below: 0, above: 0 });
});

test('nothing, NaN and infinities make no range', () => {
  expect(robustRange([])).toBeNull();
  expect(robustRange([NaN, Infinity, null], [-Infinity])).toBeNull();
});

test('a stretch without width gets one', () => {
  expect(padded([0, 10], 0.1)).toEqual([-1, 11]);
  const [low, high] = padded([5, 5], 0.1);
  expect(low).toBeLessThan(5);
  expect(high).toBeGreaterThan(5);
  expect(padded([0, 0], 0.5)).toEqual([-0.5, 0.5]);
});
