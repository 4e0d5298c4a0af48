import type { Knob } from '../knob/knob.ts';
import { findConstants, type Constant, type Repeated } from './find-constants.ts';

/** Factor by which the range of a float extends its value in both directions. */
const FLOAT_FACTOR = 10;
/** The same factor for a whole number. */
const INT_FACTOR = 4;

/** Words of names whose values choose what is run or shown, and do not make a result better. */
const NO_KNOBS = new Set(
  [
    // A choice among equal runs.
    'seed seeds random state version year month day date',
    // Places, also on machines and in lists.
    'path file dir folder url uri port host device gpu rank id ids uid gid pid index idx',
    // Output.
    'debug verbose quiet log logging print plot save checkpoint',
    // Facts of the data or of mathematics.
    'classes vocab pi',
  ].flatMap((words) => words.split(' ')),
);
/** Words of names whose values are shares from 0 to 1. */
const SHARES = /^(?:dropout|momentum|beta\d?|prob|probability|fraction|share|gamma)$/;

/** A knob with the constant that it sets. */
export interface FoundKnob {
  knob: Knob;
  constant: Constant;
}

export interface FoundKnobs {
  found: FoundKnob[];
  /** Constants for which no range can be guessed, such as texts: a person may give their values. */
  others: Constant[];
  /** Names with a literal that a file assigns more than once. */
  repeated: Repeated[];
}

/**
 * Knobs guessed from a program's constants. A number above 0 gets a range, true and false are a choice. A text, 0 and a
 * negative number get none, since no values can be guessed.
 */
export function findKnobs(files: Readonly<Record<string, string>>): FoundKnobs {
  const found: FoundKnob[] = [];
  const others: Constant[] = [];
  const { constants, repeated } = findConstants(files);
  for (const constant of constants) {
    if (isNoKnob(constant.name)) continue;
    const knob = guessKnob(constant);
    if (knob === null) others.push(constant);
    else found.push({ knob, constant });
  }
  return { found, others, repeated: repeated.filter(({ name }) => !isNoKnob(name)) };
}

/** Words of a name: `learningRate`, `learning_rate` and `LEARNING-RATE` have two. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);

const isNoKnob = (name: string): boolean => name.startsWith('__') || wordsOf(name).some((word) => NO_KNOBS.has(word));

function guessKnob({ file, name, value, raw }: Constant): Knob | null {
  if (typeof value === 'boolean') return { file, name, type: 'choice', values: [value, !value] };
  if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value)) return null;
  if (isWhole(value, raw)) {
    const range: [number, number] = [Math.max(1, Math.floor(value / INT_FACTOR)), value * INT_FACTOR];
    return { file, name, type: 'int', range, scale: 'log' };
  }
  if (value < 1 && wordsOf(name).some((word) => SHARES.test(word)))
    return { file, name, type: 'float', range: [0, 1], scale: 'linear' };
  const range: [number, number] = [shorten(value / FLOAT_FACTOR), shorten(value * FLOAT_FACTOR)];
  return { file, name, type: 'float', range, scale: 'log' };
}

/** True for a number that the file writes without a point or an exponent. */
export const isWhole = (value: number, raw: string): boolean => Number.isInteger(value) && !/[.e]/i.test(raw);

const shorten = (value: number): number => Number(value.toPrecision(6));
