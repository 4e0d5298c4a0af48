import type { Knob } from '../../../domain/knob/knob.ts';
import type { KnobValue } from '../../../domain/knob/knob-value.ts';
import type { Problem } from '../problem.ts';
import { choiceKnob, floatKnob, intKnob, positionOf } from '../space.ts';

type Point = readonly number[];

const positionsOf = (knobs: readonly Knob[], values: readonly KnobValue[]): number[] =>
  knobs.map((knob, i) => positionOf(knob, values[i] ?? null));

const several = (count: number, make: (name: string) => Knob, from = 0): Knob[] =>
  Array.from({ length: count }, (_, i) => make(`x${from + i}`));

const problemOf = ({ name, knobs, noise, at }: Omit<Problem, 'value'> & { at: (point: Point) => number }): Problem => ({
  name,
  knobs,
  noise,
  value: (values) => at(positionsOf(knobs, values)),
});

/** Branin's function less its minimum. */
export const smooth = problemOf({
  name: 'smooth-2',
  knobs: several(2, (name) => floatKnob(name)),
  noise: 0,
  at: ([x = 0, y = 0]) => {
    const [a, b] = [15 * x - 5, 15 * y];
    const bowl = b - (5.1 / (4 * Math.PI ** 2)) * a * a + (5 / Math.PI) * a - 6;
    return bowl ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(a) + 10 - 0.397887;
  },
});

const ACTIVATION_LOSS = [0.25, 0, 0.1, 0.4];

/** An invented response of a training run to eight knobs. A large learning rate diverges. */
export const noisy = problemOf({
  name: 'noisy-8',
  knobs: [
    ...several(5, (name) => floatKnob(name)),
    ...several(2, (name) => intKnob(name, [0, 8]), 5),
    choiceKnob('x7', 4),
  ],
  noise: 0.05,
  at: ([rate = 0, decay = 0, momentum = 0, warmup = 0, dropout = 0, depth = 0, width = 0, activation = 0]) => {
    const ridge = rate - 0.55 + 0.5 * (width - 0.5);
    const valley = momentum - 0.85 + 0.4 * (rate - 0.5);
    return (
      8 * ridge ** 2 +
      3 * valley ** 2 +
      0.6 * (decay - 0.3) ** 2 +
      0.3 * (warmup - 0.2) ** 2 +
      0.5 * (dropout - 0.1) ** 2 +
      1.2 * (depth - 0.72) ** 2 +
      0.4 * (1 - width) ** 2 +
      (ACTIVATION_LOSS[activation] ?? 0) +
      (rate > 0.85 ? 2 : 0)
    );
  },
});

/** A wide poor valley beside a narrow good one. Twelve of 30 knobs decide between them. */
export const deceptive = problemOf({
  name: 'deceptive-30',
  knobs: [
    ...several(22, (name) => floatKnob(name)),
    ...several(5, (name) => intKnob(name, [0, 15]), 22),
    ...several(3, (name) => choiceKnob(name, 5), 27),
  ],
  noise: 0,
  at: (point) => {
    const sumOf = (from: number, end: number, term: (x: number, j: number) => number): number =>
      point.slice(from, end).reduce((sum, x, j) => sum + term(x, j), 0);
    const wide = sumOf(0, 12, (x, j) => (x - 0.25 - 0.02 * (j % 3)) ** 2);
    const narrow = sumOf(0, 12, (x, j) => (x - 0.8 + 0.03 * (j % 4)) ** 2);
    const rest = sumOf(12, 27, (x) => 0.02 * (x - 0.5) ** 2) + sumOf(27, 30, (x) => (x === 2 ? 0 : 0.08));
    return Math.min(0.35 + 0.6 * wide, 1.6 * narrow) + rest;
  },
});
