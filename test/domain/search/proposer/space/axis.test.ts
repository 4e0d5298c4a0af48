import { expect, test } from 'vitest';
import type { Knob } from '../../../../../domain/knob/knob.ts';
import { axisOf } from '../../../../../domain/search/proposer/space/axis.ts';
import { evenDraw } from '../../../../../domain/search/proposer/space/even-draw.ts';
import { createRandom } from '../../../../../domain/statistics/random.ts';

const at = { file: 'a.py', name: 'X' };
const float = (low: number, high: number, scale: 'linear' | 'log' = 'linear'): Knob => ({
  ...at,
  type: 'float',
  range: [low, high],
  scale,
});
const int = (low: number, high: number, scale: 'linear' | 'log' = 'linear'): Knob => ({
  ...at,
  type: 'int',
  range: [low, high],
  scale,
});

test('floats are even on their scale, and lie in the range', () => {
  const log = axisOf(float(0.001, 10, 'log'));
  expect([0, 0.25, 0.5, 1].map(log.value)).toEqual([0.001, 0.01, 0.1, 10]);
  expect([0.01, 0.1, 99].map((value) => log.position(value)?.toFixed(6))).toEqual(['0.250000', '0.500000', '1.000000']);
  // Rounded to four digits, both ends would lie outside.
  const odd = axisOf(float(0.12344, 0.98765));
  expect([odd.value(0), odd.value(1)]).toEqual([0.12344, 0.98765]);
});

test('a narrow range of floats has thousands of values', () => {
  const { value } = axisOf(float(0.999, 0.9999));
  const random = createRandom(1);
  expect(new Set(Array.from({ length: 1000 }, () => value(random.uniform()))).size).toBeGreaterThan(900);
});

test.each([
  ['linear', int(2, 9)],
  ['log', int(2, 9, 'log')],
])('the cells of an int on a %s scale divide the positions, and contain their values', (_, knob) => {
  const { position, value, cell, size } = axisOf(knob);
  expect(size).toBe(8);
  let from = 0;
  for (let number = 2; number <= 9; number += 1) {
    const where = position(number) ?? expect.unreachable();
    const [low, high] = cell(where);
    expect([low.toFixed(9), value(where)]).toEqual([from.toFixed(9), number]);
    expect(low < where && where < high).toBe(true);
    from = high;
  }
  expect(from).toBeCloseTo(1, 12);
});

test('even draws take each value of an int or choice equally often', () => {
  const axes = [int(1, 4), { ...at, type: 'choice', values: [true, null, 'a'] } as Knob].map(axisOf);
  const random = createRandom(3);
  const counts = new Map<unknown, number>();
  for (let i = 0; i < 12_000; i += 1)
    evenDraw(axes, random).forEach((drawn, j) => {
      const value = axes[j]?.value(drawn);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    });
  for (const value of [1, 2, 3, 4]) expect((counts.get(value) ?? 0) / 3000).toBeCloseTo(1, 0.9);
  for (const value of [true, null, 'a']) expect((counts.get(value) ?? 0) / 4000).toBeCloseTo(1, 0.9);
});

test('values without a position have none', () => {
  const choice = axisOf({ ...at, type: 'choice', values: ['a', 'b'] });
  expect([choice.position('c'), choice.position(undefined), axisOf(float(0, 1)).position('x')]).toEqual([
    null,
    null,
    null,
  ]);
});
