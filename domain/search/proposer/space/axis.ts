import type { KnobValue } from '../../../knob/knob-value.ts';
import type { Knob } from '../../../knob/knob.ts';

/**
 * A knob's values as positions. A float or int has positions from 0 to 1, even on the knob's scale; the values of an
 * int divide them into cells. The position of a choice is its index among the values.
 */
export interface Axis {
  kind: Knob['type'];
  /** Number of values; Infinity for a float. */
  size: number;
  /** Position of a value; that of the nearest value if it is out of range, null if it has none. */
  position: (value: KnobValue | undefined) => number | null;
  value: (position: number) => KnobValue;
  /** Positions that stand for the same value of an int as `position`: from, to. */
  cell: (position: number) => readonly [from: number, to: number];
}

export const axisOf = (knob: Knob): Axis => (knob.type === 'choice' ? choiceAxis(knob.values) : rangeAxis(knob));

const choiceAxis = (values: readonly KnobValue[]): Axis => ({
  kind: 'choice',
  size: values.length,
  position: (value) => {
    const index = value === undefined ? -1 : values.indexOf(value);
    return index < 0 ? null : index;
  },
  value: (position) => values[position] ?? null,
  cell: (position) => [position, position],
});

type Ranged = Extract<Knob, { range: unknown }>;

function rangeAxis(knob: Ranged): Axis {
  const { type, scale, range } = knob;
  const [low, high] = range;
  const half = type === 'int' ? 0.5 : 0;
  const map = scale === 'log' ? Math.log : (x: number): number => x;
  const back = scale === 'log' ? Math.exp : (x: number): number => x;
  const start = map(low - half);
  const width = map(high + half) - start;
  const clamped = (value: number): number => Math.min(high, Math.max(low, value));
  const at = (value: number): number => (width === 0 ? 0.5 : (map(value) - start) / width);
  const digits = digitsOf(range);
  const valueAt = (position: number): number => {
    const value = back(start + position * width);
    return clamped(type === 'int' ? Math.round(value) : Number(value.toPrecision(digits)));
  };
  return {
    kind: type,
    size: type === 'int' ? high - low + 1 : Infinity,
    position: (value) => (typeof value === 'number' && !Number.isNaN(value) ? at(clamped(value)) : null),
    value: valueAt,
    cell: (position) => {
      const value = valueAt(position);
      return [at(value - half), at(value + half)];
    },
  };
}

/** Significant digits of drawn floats: four, which read well, and more in a range that is narrow for its numbers. */
function digitsOf([low, high]: readonly [number, number]): number {
  const narrow = Math.max(Math.abs(low), Math.abs(high)) / (high - low);
  const more = Number.isFinite(narrow) ? Math.floor(Math.log10(narrow)) : 0;
  return Math.min(17, 4 + Math.max(0, more));
}
