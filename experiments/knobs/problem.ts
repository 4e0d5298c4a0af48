import { findAssignments, type KnobValue } from '../../domain/knob/knob-value.ts';
import type { Knob } from '../../domain/knob/knob.ts';

/** What is searched: knobs in one file, and what its text is worth; lower is better. */
export interface Problem {
  name: string;
  file: string;
  knobs: readonly Knob[];
  /** Of one run with that seed. */
  valueOf(this: void, text: string, seed: number): number;
  /** The file with these values. */
  textOf(this: void, values: readonly KnobValue[]): string;
}

/** The values that stand in a text, in the order of the knobs. */
export const valuesIn = (knobs: readonly Knob[], text: string): KnobValue[] =>
  knobs.map(({ name }) => findAssignments(text, name)[0]?.value ?? Number.NaN);

/** A file of nothing but knobs. */
export const plainText = (knobs: readonly Knob[], values: readonly KnobValue[]): string =>
  knobs.map(({ name }, i) => `const ${name} = ${JSON.stringify(values[i])};\n`).join('');
