import type { Knob } from '../knob/knob.ts';
import { knownPaths } from './answer/known-paths.ts';
import { stripThoughts } from './answer/strip-thoughts.ts';
import { beginsLikeKnobValue, readKnobValue } from '../knob/knob-value-text.ts';
import { type KnobSetting, type SetKnobsResult, setKnobs } from './set-knobs.ts';

const LONGEST = 100_000;
/** Closing marks of Markdown, quotes and mathematics between a name and its assignment sign. */
const CLOSE = '[*_`"\'$)>}\\] \\t]{0,12}';
/** Assignment sign, neither a comparison nor an arrow. */
const ASSIGN = '(?::=|=|:)(?![=>])[ \\t]*';
/** Text before a number that is the whole answer: blank lines, an opening fence. */
const BEFORE = /^(?:\s|`{3,}\w*\n)*/;

/**
 * Reads a model's answer as edits that set every knob: `name = value` for each, in any order, among any Markdown and
 * prose. The first value of a name counts, since a small model continues after its answer. If there is a single knob,
 * an answer that begins with a number is its value. Values are neither clamped nor rounded. Takes any text, and never
 * throws. `files` are the parent's mutable files: path to text.
 */
export function readKnobAnswer(text: string, input: KnobAnswerInput): SetKnobsResult {
  const read = readValues(text, input);
  return read.ok ? setKnobs(read.settings, input.files) : read;
}

interface KnobAnswerInput {
  knobs: readonly Knob[];
  files: Readonly<Record<string, string>>;
}

/** Position in an answer behind the last value that counts; null if the answer cannot be read. */
export function endOfKnobAnswer(text: string, input: KnobAnswerInput): number | null {
  const read = readValues(text, input);
  return read.ok ? read.end : null;
}

type ValuesRead = { ok: true; settings: KnobSetting[]; end: number } | Extract<SetKnobsResult, { ok: false }>;

function readValues(text: string, { knobs, files }: KnobAnswerInput): ValuesRead {
  if (text.trim() === '') return unreadable(`the answer is empty; expected ${knobForm(knobs)}`);
  if (text.length > LONGEST) return unreadable(`the answer has ${text.length} characters, more than ${LONGEST}`);
  // Thoughts hold values that the model only tries.
  const answer = stripThoughts(text, { known: knownPaths([]), files });
  if (answer === null)
    return unreadable(`the thoughts of the answer never end; expected ${knobForm(knobs)} after them`);
  const settings: KnobSetting[] = [];
  let end = 0;
  for (const knob of knobs) {
    const found = findValue(answer, knob, knobs);
    if (found === null) return unreadable(`the answer gives no value for ${knob.name}; expected ${knobForm(knobs)}`);
    const read = readKnobValue(found.line, knob);
    if (!read.ok) return unreadable(`${knob.name}: ${read.reason}`);
    settings.push({ knob, value: read.value });
    end = Math.max(end, found.start + read.length);
  }
  // The answer is the end of the text.
  return { ok: true, settings, end: text.length - answer.length + end };
}

/** Expected form of an answer: `lr = number, schedule = value`. */
export const knobForm = (knobs: readonly Knob[]): string =>
  knobs.map(({ name, type }) => `${name} = ${type === 'choice' ? 'value' : 'number'}`).join(', ');

const unreadable = (reason: string): Extract<SetKnobsResult, { ok: false }> => ({
  ok: false,
  label: 'unreadable-answer',
  reason,
});

/** A position in a text, and the rest of its line. */
interface LineRest {
  start: number;
  line: string;
}

/** Start of the knob's value; null if the text gives none. */
function findValue(text: string, knob: Knob, knobs: readonly Knob[]): LineRest | null {
  const assigned = [...text.matchAll(headOf(knob, knobs))].map(({ index, 0: head }) =>
    lineFrom(text, index + head.length),
  );
  const [first] = assigned;
  if (first !== undefined) return assigned.find(({ line }) => beginsLikeKnobValue(line, knob)) ?? first;
  const bare = lineFrom(text, BEFORE.exec(text)?.[0].length ?? 0);
  return knobs.length === 1 && knob.type !== 'choice' && beginsLikeKnobValue(bare.line, knob) ? bare : null;
}

/** Matches the knob's name with its assignment sign. Case matters only if another knob's name differs in case alone. */
function headOf({ name }: Knob, knobs: readonly Knob[]): RegExp {
  const alike = knobs.filter((other) => other.name.toLowerCase() === name.toLowerCase());
  const escaped = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_.])${escaped}${CLOSE}${ASSIGN}`, alike.length > 1 ? 'gu' : 'giu');
}

function lineFrom(text: string, start: number): LineRest {
  const end = text.slice(start).search(/[\r\n]/);
  return { start, line: text.slice(start, end < 0 ? undefined : start + end) };
}
