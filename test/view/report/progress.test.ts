import { expect, test } from 'vitest';
import { progressOf } from '../../../view/report/progress.ts';

const at = (hour: number): string => new Date(Date.UTC(2026, 10, 30, hour)).toISOString();
const line = (
  hour: number,
  value: number,
  { half = 0.3, isCurrent = true }: { half?: number; isCurrent?: boolean } = {},
) => ({
  at: at(hour),
  value,
  low: value - half,
  high: value + half,
  isCurrent,
});
const baseline = { value: 2, low: 1.6, high: 2.4 };
const since = (hour: number) => ({ from: new Date(at(hour)), baseline, direction: 'minimize' as const });

test('the way begins at the last claim before the period, and adds the squares of both half widths', () => {
  const lines = [line(1, 1.9), line(3, 1.7), line(5, 1.5, { half: 0.4 })];
  const progress = progressOf(lines, since(2));
  expect(progress).toMatchObject({ from: 1.9, to: 1.5 });
  expect(progress?.gain).toBeCloseTo(0.4);
  expect(progress?.half).toBeCloseTo(0.5);
});

test('before the first claim, the way begins at the baseline; a loss is negative', () => {
  expect(progressOf([line(3, 2.5)], since(2))?.gain).toBeCloseTo(-0.5);
  expect(progressOf([line(3, 2.5)], { ...since(2), direction: 'maximize' })?.gain).toBeCloseTo(0.5);
});

test('without a claim in the period there is no way, and values of another metric do not compare', () => {
  expect(progressOf([line(1, 1.9)], since(2))).toBeNull();
  const changed = [line(1, 1.9, { isCurrent: false }), line(3, 1.7)];
  expect(progressOf(changed, since(2))).toEqual({ from: null, to: 1.7, gain: null, half: null });
});
