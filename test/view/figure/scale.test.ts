import { expect, test } from 'vitest';
import { linear, stepFor, tickTexts, ticksOf } from '../../../view/figure/scale.ts';

test.each([
  [0, 100, 5, [0, 20, 40, 60, 80, 100]],
  [3.16, 3.29, 6, [3.175, 3.2, 3.225, 3.25, 3.275]],
  [-1, 1, 4, [-1, -0.5, 0, 0.5, 1]],
])('ticks from %d to %d are round', (low, high, most, ticks) => {
  expect(ticksOf(low, high, most)).toEqual(ticks);
});

test('a range without an extent gets one', () => {
  const scale = linear({ low: 5, high: 5, from: 0, to: 100 });
  expect(scale.of(5)).toBeCloseTo(50);
  expect(linear({ low: 0, high: 0, from: 0, to: 100 }).of(0)).toBeCloseTo(50);
});

test('texts of ticks have the digits of their step', () => {
  expect(tickTexts([3.175, 3.2, 3.225])).toEqual(['3.175', '3.200', '3.225']);
  expect(tickTexts([0, 20, 40])).toEqual(['0', '20', '40']);
  expect(tickTexts([0, 2.5, 5])).toEqual(['0.0', '2.5', '5.0']);
});

test('a step is found for any span', () => {
  expect(stepFor(0, 5)).toBe(1);
  expect(stepFor(Number.NaN, 5)).toBe(1);
  expect(stepFor(7e-9, 5)).toBeCloseTo(2e-9, 15);
});
