import type { KnobValue } from '../knob/knob-value.ts';
import type { Knob } from '../knob/knob.ts';
import { assignmentsOf, type Constant } from './find-constants.ts';
import { isWhole, type FoundKnob, type FoundKnobs } from './find-knobs.ts';

/** Ratio of the bounds from which on a range of positive numbers is drawn on a log scale. */
const LOG_FROM = 8;

export type ChangedKnobs = { ok: true; found: FoundKnob[] } | { ok: false; problem: string };

interface KnobSources {
  guessed: FoundKnobs;
  /** The mutable files: path to text. */
  files: Readonly<Record<string, string>>;
}

/**
 * Applies what a person wrote for --knobs, such as `rate=0.01..1 act=relu|gelu -batch`, to the guessed knobs: adds
 * knobs, replaces ranges, drops knobs. `-*` drops all guessed knobs. Else returns what is wrong.
 */
export function changeKnobs(specs: readonly string[], { guessed, files }: KnobSources): ChangedKnobs {
  let found = [...guessed.found];
  for (const spec of specs.flatMap((text) => text.split(/[\s,]+/)).filter((text) => text !== '')) {
    const dropped = /^-([^=]+)$/.exec(spec)?.[1];
    if (dropped !== undefined) {
      const kept = dropped === '*' ? [] : found.filter(({ knob }) => !isNamed(knob, dropped));
      if (kept.length === found.length && dropped !== '*') return wrong(`one of the knobs (${namesOf(found)})`, spec);
      found = kept;
      continue;
    }
    const [, target = '', values = ''] = /^([^=]+)=(.+)$/.exec(spec) ?? [];
    if (target === '') return wrong('NAME=LOW..HIGH, NAME=A|B or -NAME', spec);
    const [, file, name = ''] = /^(?:(.+):)?([^:]+)$/.exec(target) ?? [];
    const places = assignmentsOf(files, name).filter((place) => file === undefined || place.file === file);
    const [place, otherPlace] = places;
    if (place === undefined) return wrong(`a name that a mutable file assigns: ${Object.keys(files).join(', ')}`, spec);
    if (otherPlace !== undefined)
      return wrong(`a name in one file; write ${places.map((each) => `${each.file}:${name}`).join(' or ')}`, spec);
    const [only, other] = place.assignments;
    if (other !== undefined)
      return wrong(`${name} on one line of ${place.file}, found ${place.assignments.length}: rename all but one`, spec);
    if (only?.value === undefined) return wrong(`${name} = one literal in ${place.file}`, spec);
    const constant: Constant = { file: place.file, name, value: only.value, raw: only.raw };
    const read = readValues(values, constant);
    if (!read.ok) return wrong(read.expected, spec);
    found = [
      ...found.filter(({ knob }) => !(knob.name === name && knob.file === place.file)),
      { knob: read.knob, constant },
    ];
  }
  return { ok: true, found };
}

const isNamed = ({ file, name }: Knob, wanted: string): boolean => wanted === name || wanted === `${file}:${name}`;
const namesOf = (found: readonly FoundKnob[]): string =>
  found.map(({ knob }) => knob.name).join(', ') || 'there are none';
const wrong = (expected: string, spec: string): ChangedKnobs => ({
  ok: false,
  problem: `--knobs: expected ${expected}; got ${JSON.stringify(spec)}`,
});

type ValuesRead = { ok: true; knob: Knob } | { ok: false; expected: string };

function readValues(text: string, constant: Constant): ValuesRead {
  return text.includes('|') ? readChoice(text, constant) : readRange(text, constant);
}

/** Reads `LOW..HIGH`, with `:int`, `:float`, `:log` or `:linear` behind it. */
function readRange(text: string, { file, name, value, raw }: Constant): ValuesRead {
  const [bounds = '', ...marks] = text.split(':');
  const numbers = bounds.split('..').map((bound) => (bound === '' ? Number.NaN : Number(bound)));
  const [low = Number.NaN, high = Number.NaN] = numbers;
  if (numbers.length !== 2 || !Number.isFinite(low) || !Number.isFinite(high) || low >= high)
    return { ok: false, expected: 'LOW..HIGH with two numbers, the lower one first, or values A|B' };
  const unknown = marks.find((mark) => !['int', 'float', 'log', 'linear'].includes(mark));
  if (unknown !== undefined) return { ok: false, expected: ':int, :float, :log or :linear behind the range' };
  if (typeof value !== 'number') return { ok: false, expected: `values A|B, since ${file} has ${name} = ${raw}` };
  if (value < low || value > high)
    return { ok: false, expected: `a range that includes the value in ${file}, ${name} = ${raw}` };
  const wholeBounds = Number.isInteger(low) && Number.isInteger(high);
  const isInt = marks.includes('int') || (!marks.includes('float') && wholeBounds && isWhole(value, raw));
  if (isInt && !(wholeBounds && Number.isInteger(value)))
    return { ok: false, expected: 'whole numbers with :int, also in the file' };
  const isLog = marks.includes('log') || (!marks.includes('linear') && low > 0 && high / low >= LOG_FROM);
  if (isLog && low <= 0) return { ok: false, expected: 'a lower bound above 0 with :log' };
  const scale = isLog ? ('log' as const) : ('linear' as const);
  return { ok: true, knob: { file, name, type: isInt ? 'int' : 'float', range: [low, high], scale } };
}

/** Reads `A|B|C`. If the file has a text, each value is a text. */
function readChoice(text: string, { file, name, value, raw }: Constant): ValuesRead {
  const words = text.split('|').map((word) => word.trim());
  if (words.includes('') || words.length < 2) return { ok: false, expected: 'two values or more: A|B' };
  const isQuoted = /^["']/.test(raw);
  const values = words.map((word): KnobValue => (isQuoted ? withoutQuotes(word) : valueOf(word)));
  if (!values.includes(value) && !words.includes(raw))
    return { ok: false, expected: `values that include the one in ${file}, ${name} = ${raw}` };
  if (new Set(values).size < values.length) return { ok: false, expected: 'values that differ' };
  return { ok: true, knob: { file, name, type: 'choice', values } };
}

const withoutQuotes = (word: string): string => /^(["'])(.*)\1$/.exec(word)?.[2] ?? word;

function valueOf(word: string): KnobValue {
  if (/^true$/i.test(word)) return true;
  if (/^false$/i.test(word)) return false;
  // The word in task.yaml means null.
  if (/^(?:none|null|nil)$/i.test(word)) return 'None';
  return Number.isFinite(Number(word)) ? Number(word) : withoutQuotes(word);
}
