import { type Problem, describeValue } from '../../issue/problem.ts';
import { findAssignments } from '../../knob/knob-value.ts';
import type { Knob } from '../../knob/knob.ts';
import { type Language, languageOf } from '../../knob/language.ts';
import { readLiteral } from '../../knob/read-literal.ts';
import { writeLiteral } from '../../knob/write-literal.ts';

type Path = Problem['path'];

/** Problems of knobs in the mutable files (path to text): missing, more than once, or out of range. */
export function knobFiles(knobs: readonly Knob[], files: Record<string, string>): Problem[] {
  return knobs.flatMap((knob, i) => {
    const source = Object.hasOwn(files, knob.file) ? files[knob.file] : undefined;
    if (source !== undefined) return knobInSource(knob, source, ['knobs', i]);
    return [
      {
        path: ['knobs', i, 'file'],
        expected: `one of the mutable files: ${Object.keys(files).slice(0, 10).join(', ') || 'there are none'}`,
        got: describeValue(knob.file),
        todo: 'correct the path or add the file to mutable',
      },
    ];
  });
}

function knobInSource(knob: Knob, source: string, at: Path): Problem[] {
  const found = findAssignments(source, knob.name, knob.file);
  const only = found[0];
  if (only === undefined || found.length > 1)
    return [
      {
        path: [...at, 'name'],
        expected: `one line of ${knob.file} that begins with ${knob.name} = … or ${knob.name}: …`,
        got: found.length === 0 ? 'none' : String(found.length),
        todo: found.length === 0 ? 'correct the name or give the value a line of its own' : 'rename all but one',
      },
    ];
  const { value } = only;
  const written = expressionAt(source, only.start);
  if (knob.type === 'choice') {
    if (value !== undefined && knob.values.includes(value)) return unwritable(knob, { raw: only.raw, at });
    const expected = `values that include the value of ${knob.name} in ${knob.file}`;
    const todo = value === undefined ? ONE_LITERAL : 'add it to values, or change the file';
    return [{ path: [...at, 'values'], expected, got: describeKnobValue(value, written), todo }];
  }
  const path = [...at, 'range'];
  if (typeof value !== 'number')
    return [
      {
        path: [...at, 'name'],
        expected: `a plain number after ${knob.name} in ${knob.file}`,
        got: describeKnobValue(value, written),
        todo: value === undefined ? ONE_LITERAL : 'write a number, or use type: choice',
      },
    ];
  const [low, high] = knob.range;
  if (value < low || value > high)
    return [
      {
        path,
        expected: `a range that includes the value of ${knob.name} in ${knob.file}`,
        got: `[${low}, ${high}] and the value ${value}`,
        todo: 'widen the range or change the file',
      },
    ];
  if (knob.type === 'int' && !Number.isInteger(value))
    return [
      {
        path: [...at, 'type'],
        expected: `float, since ${knob.name} in ${knob.file} is no whole number`,
        got: `int and the value ${value}`,
        todo: 'set type: float or change the file',
      },
    ];
  return [];
}

/** Values of a choice that the file's language cannot write, or would read as another value. */
function unwritable(knob: Extract<Knob, { type: 'choice' }>, { raw, at }: { raw: string; at: Path }): Problem[] {
  const language = languageOf(knob.file);
  return knob.values.flatMap((value, j) => {
    const literal = writeLiteral(value, { knob, old: raw });
    if (literal !== null && readLiteral(literal, language) === value) return [];
    return [
      {
        path: [...at, 'values', j],
        expected: `a value that ${knob.file} can hold in place of ${raw}`,
        got: describeValue(value),
        todo: todoFor(value, language),
      },
    ];
  });
}

function todoFor(value: unknown, language: Language): string {
  if (value !== null) return 'remove it, or write a plainer text';
  if (language === 'toml') return 'remove it, since TOML has no null';
  return 'remove it, or let the file begin with its word for null, such as nil';
}

const ONE_LITERAL = 'write the value as one literal';
/** Most characters of an expression that a message shows. */
const MOST_SHOWN = 60;

/** The rest of the line from an offset, without its last comma or semicolon. */
function expressionAt(source: string, offset: number): string {
  const [rest = ''] = source.slice(offset).split('\n', 1);
  return rest.trim().replace(/[,;]$/, '');
}

function describeKnobValue(value: unknown, written: string): string {
  if (value !== undefined) return describeValue(value);
  if (written === '') return 'nothing';
  return `the expression ${written.length > MOST_SHOWN ? `${written.slice(0, MOST_SHOWN)}…` : written}`;
}
