import { expect, test } from 'vitest';
import { paretoFront } from '../../../domain/statistics/pareto-front.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

const DIRECTIONS = ['minimize', 'maximize'] as const;

test('no point of the front is dominated, and each other point is, for all directions', () => {
  for (const xBetter of DIRECTIONS)
    for (const yBetter of DIRECTIONS)
      for (let seed = 0; seed < 30; seed += 1) {
        const random = createRandom(seed);
        // Few different numbers, so that there are equal points and ties.
        const draw = () => Array.from({ length: 40 }, () => (random.below(12) === 0 ? null : random.below(8)));
        const [x, y] = [draw(), draw()];
        const front = paretoFront({ x, y }, { x: xBetter, y: yBetter });
        const gain = (a = 0, b = 0, better = xBetter) => (better === 'minimize' ? b - a : a - b);
        const dominates = (a: number, b: number) => {
          const gains = [gain(x[a] ?? 0, x[b] ?? 0), gain(y[a] ?? 0, y[b] ?? 0, yBetter)];
          return gains.every((one) => one >= 0) && gains.some((one) => one > 0);
        };
        const whole = [...x.keys()].filter((at) => x[at] !== null && y[at] !== null);
        const expected = whole.filter((at) => !whole.some((other) => dominates(other, at)));
        expect([...front].sort((a, b) => a - b)).toEqual(expected);
      }
});

test('equal points are in the front together, and points without a finite number are not', () => {
  const better = { x: 'minimize', y: 'maximize' } as const;
  expect(paretoFront({ x: [1, 1, 2, 1], y: [5, 5, 5, 4] }, better)).toEqual([0, 1]);
  expect(paretoFront({ x: [null, NaN, -Infinity, 3], y: [9, 9, 9, 1] }, better)).toEqual([3]);
  expect(paretoFront({ x: [], y: [] }, better)).toEqual([]);
});
