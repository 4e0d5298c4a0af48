import type { YAMLError } from 'yaml';
import type { TaskIssue } from '../task-error.ts';

/** A key in another column than the keys beside it. */
interface MisplacedKey {
  problem: Pick<TaskIssue, 'expected' | 'got' | 'todo'>;
  line: number;
  column: number;
  /** Last line that the parser may misread because of the key. */
  lastAffected: number;
}

interface Key {
  name: string;
  line: number;
  /** Characters before the key: blanks, and the dash of a list item. */
  indent: number;
  /** The key is the first of a list item. */
  isItem: boolean;
  /** Text after the colon. */
  value: string;
}

const KEY = /^( *)((?:- +)*)(["']?)([\w.$/-]+)\3:(?=\s|$)/;

/** The misplaced key that caused an error of the parser; null if the cause is another. Positions count from 1. */
export function findMisplacedKey(
  error: YAMLError,
  { line, col }: { line: number; col: number },
  lines: readonly string[],
): MisplacedKey | null {
  if (error.message === 'Nested mappings are not allowed in compact mappings') return findBelowText(line, lines);
  // The parser reports a key below an empty value directly behind the colon of that value.
  const isBehindColon = (lines[line - 1] ?? '')[col - 2] === ':';
  if (error.message === 'All mapping items must start at the same column')
    return findBesideKeys(isBehindColon ? line + 1 : line, lines);
  return null;
}

/** Finds a key that is indented further than the text above it: the parser reads it as a part of that text. */
function findBelowText(textLine: number, lines: readonly string[]): MisplacedKey | null {
  const above = keyAt(lines, textLine);
  const key = keyAt(lines, lineWithContent(lines, textLine + 1));
  if (!above || !key || key.isItem || key.indent <= above.indent) return null;
  const hasSecondColon = /:(?:\s|$)/.test(above.value);
  if (hasSecondColon) return null;
  const found = misplaced(key, { above, child: null }, lines);
  const todo = `line the keys up, or put the text of "${above.name}" into quotes`;
  return { ...found, problem: { ...found.problem, todo } };
}

/** Finds a key whose column is neither that of the mapping above it nor that of an outer one. */
function findBesideKeys(errorLine: number, lines: readonly string[]): MisplacedKey | null {
  const key = keyAt(lines, lineWithContent(lines, errorLine));
  if (!key || key.isItem) return null;
  const above = keyAbove(lines, key);
  if (!above) return null;
  const first = isBlank(above.value) ? keyAt(lines, lineWithContent(lines, above.line + 1)) : null;
  const child = first && first.line < key.line && first.indent > key.indent && !first.isItem ? first : null;
  return misplaced(key, { above, child }, lines);
}

/** `above`: the nearest key that is indented less; `child`: the first key below it, if there is one. */
function misplaced(
  key: Key,
  { above, child }: { above: Key; child: Key | null },
  lines: readonly string[],
): MisplacedKey {
  const column = child ? `${nameOf(child)} or ${nameOf(above)}` : nameOf(above);
  return {
    problem: {
      expected: `"${key.name}" in the column of ${column}`,
      got: child ? 'a column between them' : 'a deeper indentation',
      todo: 'line the keys up',
    },
    line: key.line,
    column: key.indent + 1,
    lastAffected: lastLineBelow(above.indent, key.line, lines),
  };
}

const nameOf = ({ name, line }: Key): string => `"${name}" (line ${line})`;

/** The last line, from `line` on, of the lines that are indented further than `indent`. */
function lastLineBelow(indent: number, line: number, lines: readonly string[]): number {
  let last = line;
  for (let next = line + 1; next <= lines.length; next += 1) {
    const text = lines[next - 1] ?? '';
    if (isBlank(text)) continue;
    if (text.length - text.trimStart().length <= indent) break;
    last = next;
  }
  return last;
}

function keyAbove(lines: readonly string[], { line, indent }: Key): Key | null {
  for (let above = line - 1; above > 0; above -= 1) {
    const key = keyAt(lines, above);
    if (key && key.indent < indent) return key;
  }
  return null;
}

function keyAt(lines: readonly string[], line: number): Key | null {
  const text = lines[line - 1] ?? '';
  const match = KEY.exec(text);
  if (!match) return null;
  const [whole, blanks = '', dashes = '', , name = ''] = match;
  return {
    name,
    line,
    indent: blanks.length + dashes.length,
    isItem: dashes !== '',
    value: text.slice(whole.length),
  };
}

/** The first line from `line` on that is neither blank nor a comment. */
function lineWithContent(lines: readonly string[], line: number): number {
  let found = line;
  while (found <= lines.length && isBlank(lines[found - 1] ?? '')) found += 1;
  return found;
}

const isBlank = (text: string): boolean => /^\s*(?:#|$)/.test(text);
