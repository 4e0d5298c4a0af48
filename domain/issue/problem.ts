/** A problem in a task, located by the key's path. The loader adds file, line and column. */
export interface Problem {
  /** Keys and list positions from the top, e.g. `['knobs', 0, 'range']`. */
  path: (string | number)[];
  expected: string;
  got: string;
  /** The fix, as a sentence without its full stop; empty if it follows from `expected`. */
  todo: string;
  /** The whole sentence, if "expected …, got …" would read badly. */
  says?: string;
}

/** The sentence that describes a problem to a person, without the path. */
export const sentenceOf = ({ expected, got, todo, says }: Problem): string =>
  says ?? `expected ${expected}, got ${got}${todo === '' ? '' : `; ${todo}`}`;

/** A path as text, such as `run.artefacts[0].path`; `(top)` for the top level. */
export function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(top)';
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = /^[A-Za-z_][\w-]*$/.test(String(key)) ? String(key) : JSON.stringify(String(key));
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** Describes a value for a message: shortened, and in quotes if it is text. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty value (null)';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : String(value);
  if (typeof value === 'boolean') return `the boolean ${value}`;
  if (typeof value !== 'string') return `a ${typeof value}`;
  return value === ''
    ? 'an empty text'
    : `the text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
}
