import { isInSpace } from '../knob/in-space.ts';
import { knobKey, type KnobValue, type KnobValues } from '../knob/knob-value.ts';
import { shownValue } from '../knob/knob-form.ts';
import type { Knob } from '../knob/knob.ts';

/** Most cells of a number's axis. */
const CELLS = 50;

/** A knob as an axis of cells. The cells of a number are even on its scale; a choice has a cell for each value. */
export interface KnobAxis {
  knob: Knob;
  /** Key of its value among a candidate's knob values. */
  key: string;
  cells: number;
  /** True if neighbouring cells are alike. */
  isOrdered: boolean;
  /** Position of a value: 0 at the low end of the axis, 1 at its high end; null without a value in the knob's space. */
  positionOf: (knobs: KnobValues) => number | null;
  /** The value at a position, as a text. */
  textAt: (position: number) => string;
  /** Number of the cell of a value; null without a value in the knob's space. */
  cellOf: (knobs: KnobValues) => number | null;
}

/** The axis of a knob, with the cells of Optuna 5.0.0's PED-ANOVA. */
export function knobAxis(knob: Knob): KnobAxis {
  const key = knobKey(knob);
  const valueIn = (knobs: KnobValues): KnobValue | undefined => {
    const value = Object.hasOwn(knobs, key) ? knobs[key] : undefined;
    return value !== undefined && isInSpace(knob, value) ? value : undefined;
  };
  const cells = cellsOf(knob);
  const positionOf = (knobs: KnobValues): number | null => {
    const value = valueIn(knobs);
    return value === undefined ? null : positionIn(knob, value);
  };
  // A value midway between two cells goes to the lower one.
  const cellOf = (knobs: KnobValues): number | null => {
    const position = positionOf(knobs);
    return position === null ? null : Math.min(cells - 1, Math.max(0, Math.ceil(position * (cells - 1) - 0.5)));
  };
  return {
    knob,
    key,
    cells,
    isOrdered: knob.type !== 'choice',
    positionOf,
    cellOf,
    textAt: (position) => textAt(knob, position),
  };
}

function cellsOf(knob: Knob): number {
  if (knob.type === 'choice') return knob.values.length;
  const [low, high] = knob.range;
  if (!(high > low)) return 1;
  if (knob.type === 'float') return CELLS;
  const values = Math.floor(high) - Math.ceil(low) + 1;
  return Math.min(CELLS, knob.scale === 'log' ? Math.ceil(Math.log2(values)) + 1 : values);
}

function positionIn(knob: Knob, value: KnobValue): number {
  if (knob.type === 'choice') return knob.values.indexOf(value) / Math.max(1, knob.values.length - 1);
  const [low, high] = knob.range;
  if (!(high > low)) return 0;
  const at = Number(value);
  return knob.scale === 'log' ? Math.log(at / low) / Math.log(high / low) : (at - low) / (high - low);
}

function textAt(knob: Knob, position: number): string {
  if (knob.type === 'choice') {
    const value = knob.values[Math.round(position * (knob.values.length - 1))];
    return value === undefined ? '' : shownValue(value, knob);
  }
  const [low, high] = knob.range;
  const value = knob.scale === 'log' ? low * (high / low) ** position : low + position * (high - low);
  return String(Number(value.toPrecision(3)));
}
