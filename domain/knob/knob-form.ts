import { findAssignments, type KnobValue } from './knob-value.ts';
import type { Knob, KnobForm } from './knob.ts';
import { isNullWord, languageOf, meansNull, usualNullWord } from './language.ts';
import { isFloatLiteral } from './read-literal.ts';

/** A value as task.yaml writes it. */
export interface WrittenScalar {
  source: string;
  /** True without quotes. */
  plain: boolean;
}

/** Finds a value of a choice as task.yaml writes it: the knob's position and the value's; undefined if unknown. */
export type ScalarAt = (knob: number, value: number) => WrittenScalar | undefined;

/**
 * The knobs with the forms of their values in task.yaml. A word without quotes that means null, such as `None`, becomes
 * null; a text in quotes stays a text.
 */
export const withForms = (knobs: readonly Knob[], scalarAt: ScalarAt): Knob[] =>
  knobs.map((knob, i) => {
    if (knob.type !== 'choice') return knob;
    const language = languageOf(knob.file);
    const form: KnobForm = {};
    const values = knob.values.map((value, j): KnobValue => {
      const scalar = scalarAt(i, j);
      if (scalar === undefined || !scalar.plain) return value;
      if (typeof value === 'number' && isFloatLiteral(scalar.source)) form.float = true;
      const isNull = value === null || (typeof value === 'string' && meansNull(value, language));
      if (isNull) form.nullWord ??= scalar.source;
      return isNull ? null : value;
    });
    return { ...knob, values, ...(Object.keys(form).length > 0 ? { form } : {}) };
  });

/**
 * The knobs with their literals in the unmodified files (path to text). The literal there decides what a word means
 * that may be null or a text: with `ACT = None` the value 'None' is null, with `ACT = 'None'` the value None is a text.
 */
export const withOriginals = (knobs: readonly Knob[], files: Readonly<Record<string, string>>): Knob[] =>
  knobs.map((knob) => {
    const source = Object.hasOwn(files, knob.file) ? files[knob.file] : undefined;
    const [at, other] = source === undefined ? [] : findAssignments(source, knob.name, knob.file);
    if (at?.value === undefined || other !== undefined) return knob;
    const form = { ...knob.form, original: at.raw };
    return knob.type === 'choice' ? { ...knob, values: settled(knob, at.value), form } : { ...knob, form };
  });

function settled({ values, form, file }: Extract<Knob, { type: 'choice' }>, current: KnobValue): KnobValue[] {
  if (values.includes(current)) return values;
  const language = languageOf(file);
  if (current === null) {
    const word = values.find((value) => typeof value === 'string' && isNullWord(value, language));
    return values.map((value) => (word !== undefined && value === word ? null : value));
  }
  return form?.nullWord === current ? values.map((value) => value ?? current) : values;
}

/** A knob's value as its file shows it to a reader, without quotes. */
export function shownValue(value: KnobValue, { file, form }: Knob): string {
  if (value !== null) return String(value);
  const { original = '', nullWord } = form ?? {};
  return isNullWord(original, languageOf(file)) ? original : (usualNullWord(file) ?? nullWord ?? 'null');
}

/** The knobs as task.yaml may have them, without their forms. */
export const withoutForms = (knobs: readonly Knob[]): Knob[] =>
  knobs.map((knob) => {
    const { form: _, ...plain } = knob;
    return plain;
  });
