import type { Knob } from '../../domain/knob/knob.ts';
import { plainText, type Problem, valuesIn } from './problem.ts';

type Range = readonly [low: number, high: number];

function problemOf(name: string, ranges: readonly Range[], valueAt: (x: number[]) => number, log = false): Problem {
  const knobs = ranges.map(([low, high], i): Knob => {
    const range: [number, number] = [low, high];
    return { file: 'knobs.mjs', name: `X${i}`, type: 'float', range, scale: log ? 'log' : 'linear' };
  });
  return {
    ...{ name, file: 'knobs.mjs', knobs },
    valueOf: (text) => valueAt(valuesIn(knobs, text).map(Number)),
    textOf: (values) => plainText(knobs, values),
  };
}

const times = (n: number, range: Range): Range[] => Array.from({ length: n }, () => range);

// Surjanovic, Bingham: Virtual Library of Simulation Experiments; each less its least value.
const branin = ([x = 0, y = 0]: number[]): number =>
  (y - (5.1 / (4 * Math.PI ** 2)) * x * x + (5 / Math.PI) * x - 6) ** 2 +
  10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) +
  10 -
  0.397887;

const A = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const P = [
  [1312, 1696, 5569, 124, 8283, 5886],
  [2329, 4135, 8307, 3736, 1004, 9991],
  [2348, 1451, 3522, 2883, 3047, 6650],
  [4047, 8828, 8732, 5743, 1091, 381],
];
const hartmann6 = (x: number[]): number =>
  3.32237 -
  [1, 1.2, 3, 3.2].reduce((sum, weight, i) => {
    const distance = x.reduce((all, value, j) => all + (A[i]?.[j] ?? 0) * (value - (P[i]?.[j] ?? 0) / 10_000) ** 2, 0);
    return sum + weight * Math.exp(-distance);
  }, 0);

/** Rosenbrock's valley in the logarithms of eight knobs; its end is at 10 for each. */
const rosenbrock = (x: number[]): number => {
  const z = x.map(Math.log10);
  return z.slice(1).reduce((sum, next, i) => sum + 100 * (next - (z[i] ?? 0) ** 2) ** 2 + (1 - (z[i] ?? 0)) ** 2, 0);
};

export const FUNCTIONS: readonly Problem[] = [
  problemOf(
    'Branin, 2 knobs',
    [
      [-5, 10],
      [0, 15],
    ],
    branin,
  ),
  problemOf('Hartmann, 6 knobs', times(6, [0, 1]), hartmann6),
  problemOf('Rosenbrock, 8 log knobs', times(8, [0.01, 100]), rosenbrock, true),
];
