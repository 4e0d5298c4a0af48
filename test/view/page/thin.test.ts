import { expect, test } from 'vitest';
import { thinCurve } from '../../../view/page/thin.ts';

const curve = (length: number, valueOf: (n: number) => number) =>
  Array.from({ length }, (_, n) => ({ step: n, elapsed: n / 2, value: valueOf(n) }));

test('a short curve stays as it is; what is not finite is null', () => {
  const points = [
    { step: 1, elapsed: Number.NaN, value: 3 },
    { step: 2, elapsed: 4, value: Infinity },
  ];
  expect(thinCurve(points, 2000)).toEqual({ step: [1, 2], elapsed: [null, 4], value: [3, null] });
});

test('a long curve keeps its ends and its extremes, in order, in no more points than asked for', () => {
  const points = curve(100_000, (n) => (n === 70_001 ? 99 : n === 31_007 ? -99 : Math.sin(n)));
  const { step, value } = thinCurve(points, 2000);
  expect(step.length).toBeLessThanOrEqual(2000);
  expect(step.length).toBeGreaterThan(1300);
  expect(step).toEqual([...step].sort((a, b) => a - b));
  expect([step[0], step.at(-1)]).toEqual([0, 99_999]);
  expect(value[step.indexOf(70_001)]).toBe(99);
  expect(value[step.indexOf(31_007)]).toBe(-99);
});

test('a single point that is not finite stays in sight as a hole', () => {
  const { step, value } = thinCurve(
    curve(50_000, (n) => (n === 12_345 ? Number.NaN : n)),
    300,
  );
  expect(step.length).toBeLessThanOrEqual(300);
  expect(value[step.indexOf(12_345)]).toBeNull();
});
