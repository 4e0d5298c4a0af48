import { shownValue } from './knob-form.ts';
import type { KnobValue } from './knob-value.ts';
import type { Knob } from './knob.ts';

/** A value, and the characters up to its end, with opening marks; or the reason why there is none. */
export type KnobValueRead = { ok: true; value: KnobValue; length: number } | { ok: false; reason: string };

/** Opening marks of Markdown, quotes and mathematics. */
const OPEN = /^[*_`"'$(<{[ \t]{1,12}/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/i;
const NOT_FINITE = /^[+-]?(?:nan|inf(?:inity)?)(?![\p{L}\p{N}_])|^[+-]?∞/iu;
/** Text that continues a number: a unit, a call, digits in groups, a decimal comma, a sum, a power, a range. */
const GOES_ON = new RegExp(
  [
    /[\p{L}\p{N}_(√]/u,
    /[.,:'’]\d/u,
    /[ \t]+(?:\*{1,2}|[+/×·^])[ \t]/u,
    /[ \t]*[%‰]/u,
    /[ \t\u00a0\u202f]+\d/u,
    /[ \t]*(?:[-–—−+*/×·^~x]{1,2}|\.{2,3}|…|\\times|\\cdot|\bto\b|\bor\b)[ \t]*[{(]?[-+]?[.\d]/u,
  ]
    .map(({ source }) => `^(?:${source})`)
    .join('|'),
  'u',
);

const withoutMarks = (text: string): string => text.replace(OPEN, '');

/** True if the text may be meant as a value, unlike the `number` of an answer that repeats the prompt's form. */
export function beginsLikeKnobValue(text: string, { type }: Knob): boolean {
  const bare = withoutMarks(text);
  return type === 'choice' ? bare !== '' : /^[-+−]?\.?\p{N}/u.test(bare) || NOT_FINITE.test(bare);
}

/**
 * Reads the value at the beginning of `text`, the rest of a line; else gives the reason why the knob cannot take it.
 */
export function readKnobValue(text: string, knob: Knob): KnobValueRead {
  if (knob.type === 'choice') return readChoice(text, knob);
  const bare = withoutMarks(text);
  const read = readNumber(bare, knob);
  return read.ok ? { ...read, length: read.length + text.length - bare.length } : read;
}

function readNumber(text: string, { type, range: [low, high] }: Extract<Knob, { range: unknown }>): KnobValueRead {
  const wanted = `${type === 'int' ? 'a whole number' : 'a number'} from ${low} to ${high}`;
  const not = (why: string): KnobValueRead => ({ ok: false, reason: `expected ${wanted}, ${why}` });
  const [digits] = NUMBER.exec(text) ?? [];
  if (digits === undefined) return not(`got ${shown(text)}`);
  if (GOES_ON.test(text.slice(digits.length)))
    return not(`got ${shown(text)}, which goes on after ${shortened(digits)}`);
  const value = Number(digits);
  if (!Number.isFinite(value) || value < low || value > high) return not(`got ${shortened(digits)}`);
  if (type === 'int' && !Number.isInteger(value)) return not(`got ${shortened(digits)}`);
  return { ok: true, value, length: digits.length };
}

/** Words for null, whatever the language of the file is. */
const NULL_WORDS = ['None', 'null', 'nil', 'undefined'];

function readChoice(text: string, knob: Extract<Knob, { values: unknown }>): KnobValueRead {
  const { values } = knob;
  const wordsOf = (value: KnobValue): string[] =>
    value === null ? [shownValue(value, knob), ...NULL_WORDS] : [String(value)];
  const bare = withoutMarks(text);
  const marks = text.length - bare.length;
  const digits = NUMBER.exec(bare)?.[0];
  const number = Number(digits ?? Number.NaN);
  const candidates = [
    { from: text, start: 0 },
    { from: bare, start: marks },
  ];
  const found = candidates.flatMap(({ from, start }) =>
    values.flatMap((value) =>
      wordsOf(value)
        .filter((word) => standsFirst(from, word))
        .map((word) => ({ value, length: word.length, end: start + word.length })),
    ),
  );
  // The longest match wins: `sgd-slow` also begins with `sgd`. Among equal words a text wins over null.
  const [longest] = found.toSorted(
    (a, b) => b.length - a.length || Number(a.value === null) - Number(b.value === null),
  );
  const value = longest === undefined ? values.find((choice) => choice === number) : longest.value;
  if (value !== undefined) return { ok: true, value, length: longest?.end ?? marks + (digits?.length ?? 0) };
  const expected = values.map((choice) => shownValue(choice, knob)).join(', ');
  return { ok: false, reason: `expected one of ${expected}, got ${shown(text)}` };
}

const standsFirst = (text: string, value: string): boolean =>
  text.toLowerCase().startsWith(value.toLowerCase()) && !/^(?:[\p{L}\p{N}_-]|[.,]\d)/u.test(text.slice(value.length));

const shown = (text: string): string => (text.trim() === '' ? 'nothing' : JSON.stringify(shortened(text)));

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60).trimEnd()} …` : text.trimEnd());
