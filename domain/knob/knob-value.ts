import { blankProse } from './blank-prose.ts';
import { languageOf } from './language.ts';
import { firstLiteral, type LiteralValue, readLiteral } from './read-literal.ts';

export type KnobValue = LiteralValue;

/** Values of the knobs in a candidate's files, by `knobKey`. */
export type KnobValues = Readonly<Record<string, KnobValue>>;

/**
 * The key of a knob among a candidate's values. It includes the file, since two files may have knobs of the same name.
 */
export const knobKey = ({ file, name }: { file: string; name: string }): string => `${file}:${name}`;

/** An assignment of a literal in a source: `const NAME = 0.1`, `NAME = 0.1`, `NAME: 0.1`, `"NAME": 0.1`. */
export interface Assignment {
  /** Offsets of the literal in the source. */
  start: number;
  end: number;
  /** The literal as it is written. */
  raw: string;
  /** Undefined if the right-hand side is not a literal, such as an expression. */
  value: KnobValue | undefined;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
const KEYWORDS = '(?:(?:export|const|let|var|val|local|pub|final|static|public|private|readonly) +)*';
// After the name: `=`, `:=`, `:`, or a type between `:` and `=`; never a comparison or an arrow.
const ASSIGN = '[ \\t]*(?::[ \\t]*[A-Za-z_][\\w.<>|\\[\\] ]{0,60}?=|:=|=|:)(?![=>])[ \\t]*';
const REST = /^[ \t]*(?:[,;][ \t]*)?(?:#.*|\/\/.*|\/\*.*)?$/;

/**
 * Every assignment to `name` that begins a line of `source`, outside of docstrings and comments. `path`: the file; its
 * language decides the literals.
 */
export function findAssignments(source: string, name: string, path = ''): Assignment[] {
  const head = new RegExp(`^\\ufeff?[ \\t]*${KEYWORDS}(["']?)${escaped(name)}\\1${ASSIGN}`);
  const language = languageOf(path);
  let offset = 0;
  return blankProse(source, language)
    .split('\n')
    .flatMap((line) => {
      const start = offset;
      offset += line.length + 1;
      const prefix = head.exec(line)?.[0];
      if (prefix === undefined) return [];
      const rest = line.slice(prefix.length).trimEnd();
      const raw = firstLiteral(rest, language);
      const value = REST.test(rest.slice(raw.length)) ? readLiteral(raw, language) : undefined;
      return [{ start: start + prefix.length, end: start + prefix.length + raw.length, raw, value }];
    });
}
