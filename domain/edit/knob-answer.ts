import type { Knob } from '../knob/knob.ts';
import { knownPaths } from './answer/known-paths.ts';
import { stripThoughts } from './answer/strip-thoughts.ts';
import { beginsLikeKnobValue, readKnobValue } from '../knob/knob-value-text.ts';
import { type KnobSetting, type SetKnobsResult, setKnobs } from './set-knobs.ts';

const LONGEST = 100_000;
/** Closing marks of Markdown, quotes and mathematics between a name and what assigns to it. */
const CLOSE = '[*_`"\'$)>}\\] \\t]{0,12}';
/** Neither a comparison nor an arrow. */
const ASSIGN = '(?::=|=|:)(?![=>])[ \\t]*';
/** What may stand before a number that is the whole answer: blank lines, an opening fence. */
const BEFORE = /^(?:\s|`{3,}\w*\n)*/;

/**
 * A model's answer as edits that set every knob: `name = value` for each, in any order, among whatever Markdown and prose. The
 * first value of a name counts, since a small model goes on after its answer. Where there is a single knob, an answer that
 * begins with a number is its value. Nothing is clamped or rounded. Takes any text, and never throws. `files` are the parent's
 * mutable ones: path to text.
 */
export function readKnobAnswer(
  text: string,
  { knobs, files }: { knobs: readonly Knob[]; files: Readonly<Record<string, string>> },
): SetKnobsResult {
  if (text.trim() === '') return unreadable(`the answer is empty; expected ${knobForm(knobs)}`);
  if (text.length > LONGEST) return unreadable(`the answer has ${text.length} characters, more than ${LONGEST}`);
  // A model that reasons tries values in its thoughts that it does not mean to give.
  const answer = stripThoughts(text, { known: knownPaths([]), files });
  if (answer === null)
    return unreadable(`the thoughts of the answer never end; expected ${knobForm(knobs)} behind them`);
  const settings: KnobSetting[] = [];
  for (const knob of knobs) {
    const written = valueTextOf(answer, knob, knobs);
    if (written === null) return unreadable(`the answer gives no value for ${knob.name}; expected ${knobForm(knobs)}`);
    const read = readKnobValue(written, knob);
    if (!read.ok) return unreadable(`${knob.name}: ${read.reason}`);
    settings.push({ knob, value: read.value });
  }
  return setKnobs(settings, files);
}

/** The form of an answer in words. */
export const knobForm = (knobs: readonly Knob[]): string =>
  knobs.map(({ name, type }) => `${name} = ${type === 'choice' ? 'value' : 'number'}`).join(', ');

const unreadable = (reason: string): SetKnobsResult => ({ ok: false, label: 'unreadable-answer', reason });

/** The rest of the line from where the knob's value begins; null where it has none. */
function valueTextOf(text: string, knob: Knob, knobs: readonly Knob[]): string | null {
  const assigned = [...text.matchAll(headOf(knob, knobs))].map(({ index, 0: head }) =>
    lineFrom(text, index + head.length),
  );
  const [first] = assigned;
  if (first !== undefined) return assigned.find((value) => beginsLikeKnobValue(value, knob)) ?? first;
  const bare = lineFrom(text, BEFORE.exec(text)?.[0].length ?? 0);
  return knobs.length === 1 && knob.type !== 'choice' && beginsLikeKnobValue(bare, knob) ? bare : null;
}

/** The name, in whatever case where no other knob differs in that alone, with what assigns to it. */
function headOf({ name }: Knob, knobs: readonly Knob[]): RegExp {
  const alike = knobs.filter((other) => other.name.toLowerCase() === name.toLowerCase());
  const escaped = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_.])${escaped}${CLOSE}${ASSIGN}`, alike.length > 1 ? 'gu' : 'giu');
}

function lineFrom(text: string, start: number): string {
  const end = text.slice(start).search(/[\r\n]/);
  return text.slice(start, end < 0 ? undefined : start + end);
}
