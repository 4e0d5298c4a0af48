import { isNullWord, type Language } from './language.ts';

/** The value of a literal. Null: `None`, `nil` and so on. */
export type LiteralValue = string | number | boolean | null;

/** Literal at the beginning of a text: a text in quotes, or a word or number. */
const LITERAL = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,;#"'()[\]{}]+)/;
/** The same in YAML, whose texts in single quotes hold a quote as two. */
const YAML_LITERAL = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,;#"'()[\]{}]+)/;
/** The same in TOML, whose texts in single quotes hold none. */
const TOML_LITERAL = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;#"'()[\]{}]+)/;

/** The literal at the beginning of a text, as it is written; empty if there is none. */
export function firstLiteral(text: string, language: Language): string {
  if (language === 'yaml') return YAML_LITERAL.exec(text)?.[0] ?? '';
  return (language === 'toml' ? TOML_LITERAL : LITERAL).exec(text)?.[0] ?? '';
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** A whole number with a leading zero: octal, decimal or an error, as the language decides. */
const OCTAL = /^[+-]?0\d+$/;
const withoutGroups = (raw: string): string => raw.replace(/(\d)_(?=\d)/g, '$1');

/** True for a number that is written with a point or an exponent. */
export const isFloatLiteral = (raw: string): boolean => NUMBER.test(withoutGroups(raw)) && /[.e]/i.test(raw);

/** True for a word without quotes that is neither a number, a boolean nor null: a name or a text. */
export const isBareWord = (raw: string, language: Language): boolean =>
  !/^["']/.test(raw) && typeof readLiteral(raw, language) === 'string';

export const isBooleanLiteral = (raw: string, language: Language): boolean =>
  typeof readLiteral(raw, language) === 'boolean';

/** The value of a literal; undefined if the text is no literal. */
export function readLiteral(raw: string, language: Language): LiteralValue | undefined {
  if (raw === '') return undefined;
  if (/^["']/.test(raw)) return readText(raw, language);
  if (/^(?:true|True)$/.test(raw)) return true;
  if (/^(?:false|False)$/.test(raw)) return false;
  if (/^(?:TRUE|FALSE)$/.test(raw) && hasUpperBooleans(language)) return raw === 'TRUE';
  if (isNullWord(raw, language)) return null;
  const digits = withoutGroups(raw);
  if (OCTAL.test(digits)) return undefined;
  if (NUMBER.test(digits)) return Number(digits);
  return /^[A-Za-z_][\w.-]*$/.test(raw) ? raw : undefined;
}

const hasUpperBooleans = (language: Language): boolean => ['yaml', 'code', 'config'].includes(language);

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  a: '\x07',
  e: '\x1b',
};

/** Letters after a backslash that have a meaning of their own. */
const ESCAPES: Readonly<Record<Language, string>> = {
  python: 'abfnrtv0',
  javascript: 'bfnrtv0',
  json: 'bfnrt',
  yaml: '0abefnrtv',
  toml: 'bfnrt',
  code: 'nrt',
  config: '',
};

function readText(raw: string, language: Language): string {
  const inner = raw.slice(1, -1);
  if (raw.startsWith("'") && language === 'yaml') return inner.replaceAll("''", "'");
  if (raw.startsWith("'") && language === 'toml') return inner;
  const letters = ESCAPES[language];
  const hasCodes = language !== 'config' && language !== 'code';
  return inner.replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|U([\da-fA-F]{8})|(.))/gs, (all, ...found) => {
    const [unicode, byte, long, other] = found as (string | undefined)[];
    const code = unicode ?? byte ?? long;
    if (code !== undefined) return hasCodes ? characterOf(code, all) : all.slice(1);
    if (other === undefined) return all;
    if (letters.includes(other)) return CONTROLS[other] ?? other;
    // Python keeps the backslash before a letter that has no meaning.
    return language === 'python' && !/["'\\]/.test(other) ? all : other;
  });
}

function characterOf(hex: string, written: string): string {
  const code = Number.parseInt(hex, 16);
  return code > 0x10_ff_ff ? written : String.fromCodePoint(code);
}
