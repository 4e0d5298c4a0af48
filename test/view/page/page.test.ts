import { describe, expect, test } from 'vitest';
import { thinCurve, ganttSpan } from '../../../view/page/thin-curve.ts';
import { decodeDeltas, encodeDeltas } from '../../../view/page/deltas.ts';

describe('a curve', () => {
  const curve = (length: number, valueOf: (n: number) => number) =>
    Array.from({ length }, (_, n) => ({ step: n, elapsed: n / 2, value: valueOf(n) }));

  test('a short curve stays unchanged; values that are not finite are null', () => {
    const points = [
      { step: 1, elapsed: Number.NaN, value: 3 },
      { step: 2, elapsed: 4, value: Infinity },
    ];
    expect(thinCurve(points, 2000)).toEqual({ step: [1, 2], elapsed: [null, 4], value: [3, null] });
  });

  test('a long curve keeps its ends and its extremes, in order, within the maximum of points', () => {
    const extremes: Record<number, number> = { 70_001: 99, 31_007: -99 };
    const points = curve(100_000, (n) => extremes[n] ?? Math.sin(n));
    const { step, value } = thinCurve(points, 2000);
    expect(step.length).toBeLessThanOrEqual(2000);
    expect(step.length).toBeGreaterThan(1300);
    expect(step).toEqual([...step].sort((a, b) => a - b));
    expect([step[0], step.at(-1)]).toEqual([0, 99_999]);
    expect(value[step.indexOf(70_001)]).toBe(99);
    expect(value[step.indexOf(31_007)]).toBe(-99);
  });

  test('a single point that is not finite stays visible as a gap', () => {
    const { step, value } = thinCurve(
      curve(50_000, (n) => (n === 12_345 ? Number.NaN : n)),
      300,
    );
    expect(step.length).toBeLessThanOrEqual(300);
    expect(value[step.indexOf(12_345)]).toBeNull();
  });
});

describe('the span of a Gantt chart', () => {
  const NOW = new Date('2026-11-20T12:00:00Z');
  const at = (text: string): string => `2026-11-${text}:00.000Z`;

  test.each([
    ['the last day', {}, at('19T12:00'), at('20T12:00')],
    ['from then to now', { from: at('20T09:00') }, at('20T09:00'), at('20T12:00')],
    ['a day from then', { from: at('10T09:00') }, at('10T09:00'), at('11T09:00')],
    ['a day up to then', { to: at('15T09:00') }, at('14T09:00'), at('15T09:00')],
    ['the last day of a longer stretch', { from: at('01T00:00'), to: at('15T09:00') }, at('14T09:00'), at('15T09:00')],
    [
      'no time if it ends before it begins',
      { from: at('15T09:00'), to: at('14T09:00') },
      at('14T09:00'),
      at('14T09:00'),
    ],
    [
      'the first day of Unix time for a time before it',
      { to: '0000-01-01T00:00:00Z' },
      '1970-01-01T00:00:00.000Z',
      '1970-01-02T00:00:00.000Z',
    ],
  ])('is %s', (_, asked, start, end) => {
    expect(ganttSpan(NOW, asked)).toEqual({ from: start, to: end });
  });
});

test.each([[[]], [[7]], [[3, 2, 1]], [[12, 500, 1, 1]]])('the deltas of %j decode to it', (numbers) => {
  expect(decodeDeltas(encodeDeltas(numbers))).toEqual(numbers);
});

test('consecutive numbers have equal deltas', () => {
  expect(encodeDeltas([9, 8, 7, 6])).toEqual([9, -1, -1, -1]);
});
