import { cleanText } from '../json/clean-text.ts';
import { type Assignment, findAssignments, knobKey, type KnobValue, type KnobValues } from '../knob/knob-value.ts';
import type { Knob } from '../knob/knob.ts';
import type { Edit } from './edit.ts';

/** Location of a knob in its file, with its value there. */
export interface KnobLocation {
  knob: Knob;
  /** Text of the file. */
  source: string;
  at: Assignment;
  value: KnobValue;
}

/** Locates a knob in `files` (path to text); null unless it occurs exactly once, with a literal value. */
export function locateKnob(files: Readonly<Record<string, string>>, knob: Knob): KnobLocation | null {
  const source = Object.hasOwn(files, knob.file) ? files[knob.file] : undefined;
  const found = source === undefined ? [] : findAssignments(source, knob.name, knob.file);
  const [at] = found;
  if (source === undefined || at?.value === undefined || found.length !== 1) return null;
  return { knob, source, at, value: at.value };
}

/** Edit of the knob's line alone if no other line is equal, so that the lineage reads well; else of the whole file. */
export function knobEdit({ knob, source, at }: KnobLocation, literal: string): Edit {
  const start = source.lastIndexOf('\n', at.start - 1) + 1;
  const end = source.indexOf('\n', at.end);
  const line = source.slice(start, end < 0 ? undefined : end).replace(/\r$/, '');
  const changed = line.slice(0, at.start - start) + literal + line.slice(at.end - start);
  const isUnique = source.split(/\r?\n/).filter((other) => other === line).length === 1;
  if (isUnique) return { path: knob.file, search: line, replace: changed };
  return { path: knob.file, content: withLiteral({ source, at }, literal) };
}

/** The file with another literal as the knob's value. */
export const withLiteral = ({ source, at }: Pick<KnobLocation, 'source' | 'at'>, literal: string): string =>
  source.slice(0, at.start) + literal + source.slice(at.end);

/** Longest text that is stored as the value of a knob. */
const LONGEST_VALUE = 200;

/** Values of the knobs in `files` (path to text), without values that JSON cannot hold and very long ones. */
export const knobValuesIn = (knobs: readonly Knob[], files: Readonly<Record<string, string>>): KnobValues =>
  Object.fromEntries(
    knobs.flatMap((knob) => {
      const location = locateKnob(files, knob);
      return location !== null && isStorable(location) ? [[knobKey(knob), location.value] as const] : [];
    }),
  );

const isStorable = ({ knob, value }: KnobLocation): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  if (knob.type !== 'choice') return false;
  return typeof value !== 'string' || (value.length <= LONGEST_VALUE && cleanText(value) === value);
};
