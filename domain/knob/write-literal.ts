import type { Knob } from './knob.ts';
import type { KnobValue } from './knob-value.ts';
import {
  interpolates,
  isNullWord,
  keepsQuotes,
  type Language,
  languageOf,
  usualBoolean,
  usualNullWord,
} from './language.ts';
import { isBareWord, isBooleanLiteral, isFloatLiteral, readLiteral } from './read-literal.ts';

interface Written {
  path: string;
  language: Language;
  /** The literal that is replaced, then the one of the unmodified file: the first that shows a style decides it. */
  models: readonly string[];
}

/**
 * A value as the literal that replaces `old` in the knob's file, in the style of `old` or of the unmodified file. Null
 * if the file's language cannot write the value.
 */
export function writeLiteral(value: KnobValue, { knob, old }: { knob: Knob; old: string }): string | null {
  const { original } = knob.form ?? {};
  const models = original === undefined ? [old] : [old, original];
  const written: Written = { path: knob.file, language: languageOf(knob.file), models };
  if (value === null) return nullLiteral(written, knob.form?.nullWord);
  if (typeof value === 'boolean') return booleanLiteral(value, written);
  if (typeof value === 'number') return isFloat(value, { knob, models }) ? floatLiteral(value) : String(value);
  const text = textLiteral(value, written);
  // The language may read what was written as another value, such as a word as a boolean.
  return text !== null && readLiteral(text, written.language) === value ? text : null;
}

function isFloat(value: number, { knob, models }: { knob: Knob; models: readonly string[] }): boolean {
  if (knob.type === 'float' || knob.form?.float === true || models.some(isFloatLiteral)) return true;
  return !/^-?\d+$/.test(String(value));
}

// `1e-7` is text to a YAML 1.1 reader and `1` an integer to TOML; `1.0e-7` and `1.0` are floats everywhere.
function floatLiteral(value: number): string {
  const text = String(value);
  if (text.includes('.')) return text;
  return text.includes('e') ? text.replace('e', '.0e') : `${text}.0`;
}

function nullLiteral({ path, language, models }: Written, word: string | undefined): string | null {
  const model = models.find((raw) => isNullWord(raw, language));
  if (model !== undefined) return model;
  // JavaScript has two words, and a file that is no code has no word of its own.
  if (word !== undefined && (language === 'javascript' || language === 'config') && isNullWord(word, language))
    return word;
  return usualNullWord(path) ?? (word !== undefined && isNullWord(word, language) ? word : null);
}

function booleanLiteral(value: boolean, { path, language, models }: Written): string {
  const model = models.find((raw) => isBooleanLiteral(raw, language));
  if (model === undefined) return usualBoolean(value, path);
  const word = String(value);
  if (model === model.toUpperCase()) return word.toUpperCase();
  return /^[TF]/.test(model) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}

/** Words that a reader of YAML 1.1 takes as a boolean. */
const SWITCH = /^(?:yes|no|on|off|y|n)$/i;
const WORD = /^[A-Za-z_][\w.-]*$/;
const RESERVED = /^(?:true|false|null|none|nil|nan|inf|infinity|undefined)$/i;

function textLiteral(value: string, written: Written): string | null {
  const { language, models, path } = written;
  const model = models.find((raw) => /^["']/.test(raw) || isBareWord(raw, language));
  const isBare = model === undefined ? isBareByDefault(language) : !/^["']/.test(model);
  if (isBare && isBareText(value, language, model)) return value;
  if (isBare && keepsQuotes(path)) return null;
  const quote = model?.startsWith("'") || (model === undefined && language === 'javascript') ? "'" : '"';
  return quoted(value, quote, written);
}

const isBareByDefault = (language: Language): boolean => language === 'config' || language === 'yaml';

function isBareText(value: string, language: Language, model: string | undefined): boolean {
  if (language === 'json' || language === 'toml' || !WORD.test(value) || RESERVED.test(value)) return false;
  // Beside `yes`, which YAML 1.1 takes as a boolean, `no` is one, too.
  return language !== 'yaml' || !SWITCH.test(value) || (model !== undefined && SWITCH.test(model));
}

/** Control characters, those that end a line or are invisible, and halves of characters. */
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g;
const LETTERS = new Map([
  ['\n', 'n'],
  ['\t', 't'],
  ['\r', 'r'],
  ['\b', 'b'],
  ['\f', 'f'],
]);

function quoted(value: string, quote: string, { language, path }: Written): string | null {
  const hasUnprintable = value.search(UNPRINTABLE) >= 0;
  if (language === 'json') return escapedText(value, '"');
  if (language === 'yaml' && quote === "'" && !hasUnprintable) return `'${value.replaceAll("'", "''")}'`;
  if (language === 'toml' && quote === "'" && !hasUnprintable && !value.includes("'")) return `'${value}'`;
  if (language === 'yaml' || language === 'toml') return escapedText(value, '"');
  if (language === 'python' || language === 'javascript') return escapedText(value, quote);
  if (language === 'config') return hasUnprintable ? null : plainlyQuoted(value, quote);
  if (interpolates(path) && /[$#@`\\{]/.test(value)) return null;
  // Escapes of other characters differ from language to language.
  return value.replace(/[\n\t\r]/g, '').search(UNPRINTABLE) >= 0 ? null : escapedText(value, quote);
}

/** A text in quotes without an escape, since shells and other readers disagree about escapes; null if it needs one. */
function plainlyQuoted(value: string, quote: string): string | null {
  const quotes = quote === '"' ? ['"', "'"] : ["'", '"'];
  const chosen = quotes.find((one) => !(one === '"' ? /["\\$`]/ : /['\\]/).test(value));
  return chosen === undefined ? null : chosen + value + chosen;
}

function escapedText(value: string, quote: string): string {
  const inner = value
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll(UNPRINTABLE, (character) => {
      const letter = LETTERS.get(character);
      return letter === undefined ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : `\\${letter}`;
    });
  return quote + inner + quote;
}
