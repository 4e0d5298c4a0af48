import type { Knob } from '../../domain/knob/knob.ts';
import type { KnobValue } from '../../domain/knob/knob-value.ts';
import { locateKnob } from '../../domain/edit/knob-edit.ts';
import type { Random } from '../../domain/statistics/random.ts';

/** The only file of a candidate. */
export const FILE = 'knobs.py';

type Files = Readonly<Record<string, string>>;

export const floatKnob = (
  name: string,
  range: [number, number] = [0, 1],
  scale: 'linear' | 'log' = 'linear',
): Knob => ({
  file: FILE,
  name,
  type: 'float',
  range,
  scale,
});
export const intKnob = (name: string, range: [number, number], scale: 'linear' | 'log' = 'linear'): Knob => ({
  file: FILE,
  name,
  type: 'int',
  range,
  scale,
});
/** A choice among the numbers from 0 to `size` − 1. */
export const choiceKnob = (name: string, size: number): Knob => ({
  file: FILE,
  name,
  type: 'choice',
  values: Array.from({ length: size }, (_, index) => index),
});

/** The files of a candidate with these values. */
export const filesOf = (knobs: readonly Knob[], values: readonly KnobValue[]): Record<string, string> => ({
  [FILE]: knobs.map(({ name, type }, i) => `${name} = ${literalOf(values[i] ?? 0, type)}\n`).join(''),
});

const literalOf = (value: KnobValue, type: Knob['type']): string =>
  type === 'float' && Number.isInteger(value) ? `${String(value)}.0` : String(value);

/** The values in a candidate's files. Throws if a knob is missing there. */
export const valuesIn = (knobs: readonly Knob[], files: Files): KnobValue[] =>
  knobs.map((knob) => {
    const location = locateKnob(files, knob);
    if (location === null) throw new Error(`expected ${knob.name} in ${FILE}, found ${files[FILE] ?? 'no file'}`);
    return location.value;
  });

/** A value of each knob, each drawn evenly on the knob's scale. */
export const evenDraw = (knobs: readonly Knob[], random: Random): KnobValue[] =>
  knobs.map((knob) => {
    if (knob.type === 'choice') return knob.values[random.below(knob.values.length)] ?? null;
    const [low, high] = knob.range;
    if (knob.type === 'int' && knob.scale === 'linear') return low + random.below(high - low + 1);
    const value = valueAt(knob, random.uniform());
    return knob.type === 'int' ? Math.round(value) : value;
  });

/** A knob's value as a position from 0 to 1 on its scale. An int of s values lies in the middle of its cell of 1/s. */
export function positionOf(knob: Knob, value: KnobValue): number {
  if (knob.type === 'choice') return knob.values.indexOf(value);
  const [low, high] = knob.range;
  const number = Number(value);
  if (knob.type === 'int' && knob.scale === 'linear') return (number - low + 0.5) / (high - low + 1);
  return knob.scale === 'log' ? Math.log(number / low) / Math.log(high / low) : (number - low) / (high - low);
}

const valueAt = ({ range: [low, high], scale }: Extract<Knob, { range: unknown }>, position: number): number =>
  scale === 'log' ? low * (high / low) ** position : low + position * (high - low);
