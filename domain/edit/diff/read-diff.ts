import type { KnownPaths } from '../answer/known-paths.ts';
import { pathInLine } from '../answer/path.ts';
import type { Edit } from '../edit.ts';
import { targetFileOf, type Head } from './target-file.ts';

/** Where a diff stands: the path above it, or null, and what may be changed. */
export interface DiffContext {
  path: string | null;
  known: KnownPaths;
  files: Readonly<Record<string, string>>;
}

/** Lines of a hunk, and the line of the old file that its head states. */
interface Hunk {
  lines: string[];
  from: number | null;
}

interface Reader {
  edits: Edit[];
  path: string | null;
  hunk: Hunk | null;
  /** Of the hunks of the present file: where each began, and how many lines it added. */
  grown: { from: number; by: number }[];
  /** The lines of files, where they had to be looked up. */
  there: Map<string, ReadonlySet<string>>;
}

const SKIPPED =
  /^(?:diff --git |index [0-9a-f]|Index: |={20,}$|(?:old|new) mode |new file mode |similarity index |\*\*\* (?:Begin Patch|End Patch|End of File)\b)/;
const REFUSED: [RegExp, string][] = [
  [/^(?:rename|copy) (?:from|to) |^\*\*\* Move to:/, 'it renames a file'],
  [/^deleted file mode |^\*\*\* Delete File:/, 'it deletes a file'],
  [/^\*\*\* Add File:/, 'it adds a file'],
  [/^(?:GIT binary patch|Binary files )/, 'it is binary'],
];

/**
 * A diff as SEARCH/REPLACE edits, one for each hunk: what it shows of the file has to be there. Its counts are not looked at,
 * and the line that a hunk states is where it is meant if it stands in several places. Or why it cannot be read.
 */
export function readDiff(lines: readonly string[], place: DiffContext): Edit[] | string {
  const reader: Reader = { edits: [], path: place.path, hunk: null, grown: [], there: new Map() };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const refused = reader.hunk && /^[ +-]/.test(line) ? undefined : REFUSED.find(([pattern]) => pattern.test(line));
    if (refused)
      return `the diff cannot be applied: ${refused[1]}; expected changes of lines in ${listed(place.known)}`;
    const head = headAt(lines, at);
    const problem = head || SKIPPED.test(line) || /^@@/.test(line) ? flush(reader, place) : null;
    if (problem !== null) return problem;
    if (head) {
      const path = targetFileOf(head, { ...place, isFirst: reader.edits.length === 0 });
      if (typeof path !== 'string') return path.reason;
      Object.assign(reader, { path, grown: [] });
      at += head.lines - 1;
    } else if (/^@@/.test(line)) {
      reader.hunk = { lines: [], from: statedLine(line) };
    } else if (!SKIPPED.test(line) && !/^\\ /.test(line)) {
      take(reader, line, place);
    }
  }
  const problem = flush(reader, place);
  if (problem !== null) return problem;
  return reader.edits.length > 0 ? reader.edits : 'the diff changes nothing; expected lines that begin with - or +';
}

function take(reader: Reader, line: string, { known }: DiffContext): void {
  if (reader.hunk) return void reader.hunk.lines.push(line);
  const path = /^[ +-]/.test(line) ? null : pathInLine(line, known);
  if (path !== null) reader.path = path;
  else if (line.trim() !== '') reader.hunk = { lines: [line], from: null };
}

function headAt(lines: readonly string[], at: number): Head | null {
  const [line = '', next = ''] = lines.slice(at, at + 2);
  if (/^--- \S/.test(line) && /^\+\+\+ \S/.test(next)) return { minus: line, plus: next, lines: 2 };
  return /^\*\*\* Update File:/.test(line) ? { minus: line, plus: line, lines: 1 } : null;
}

const statedLine = (line: string): number | null => {
  const stated = /^@@ -(\d+)/.exec(line)?.[1];
  return stated === undefined ? null : Number(stated);
};

/** Adds the edit of the hunk that ends here; returns why it cannot be one. */
function flush(reader: Reader, { files }: DiffContext): string | null {
  const { hunk, path } = reader;
  reader.hunk = null;
  if (!hunk) return null;
  const given = [...hunk.lines];
  while (given.at(-1) === '') given.pop();
  if (!given.some((line) => /^[-+]/.test(line))) return null;
  if (path === null) return `the diff names no file; expected its path in a line above it`;
  const lines = withoutSpace(reader, given, files);
  const shown = lines.filter((line) => !line.startsWith('+')).map((line) => line.replace(/^[ -]/, ''));
  const put = lines.filter((line) => !line.startsWith('-')).map((line) => line.replace(/^[ +]/, ''));
  const showsNothing = shown.every((line) => line.trim() === '');
  const isBlank = (files[path] ?? '').trim() === '';
  if (showsNothing && !isBlank)
    return `a part of the diff for ${path} shows no line of the file; expected lines around what it adds, so that its place is certain`;
  const before = reader.grown.filter(({ from }) => hunk.from !== null && from < hunk.from);
  const line = (hunk.from ?? 0) + before.reduce((sum, { by }) => sum + by, 0);
  if (hunk.from !== null) reader.grown.push({ from: hunk.from, by: put.length - shown.length });
  reader.edits.push({ path, search: showsNothing ? '' : shown.join('\n'), replace: put.join('\n'), line });
  return null;
}

/** Lines without the blank behind their marks that those of the file do not have; by what goes, or else by what stays. */
function withoutSpace({ path, there }: Reader, lines: string[], files: DiffContext['files']): string[] {
  if (path === null || !lines.every((line) => !/^\+./.test(line) || line.startsWith('+ '))) return lines;
  const known = there.get(path) ?? new Set((files[path] ?? '').split(/\r\n|\n|\r/));
  there.set(path, known);
  const isSpaced = (line: string): boolean =>
    /^[ -] /.test(line) && !known.has(line.slice(1)) && known.has(line.slice(2));
  const out = lines.filter((line) => /^-.*\S/.test(line));
  const judged = out.length > 0 ? out : lines.filter((line) => /^[^+].*\S/.test(line));
  if (judged.length === 0 || !judged.every(isSpaced)) return lines;
  return lines.map((line) => (/^[+-]/.test(line) || isSpaced(line) ? line.replace(/^([ +-]) /, '$1') : line));
}

const listed = ({ list }: KnownPaths): string => list.slice(0, 20).join(', ') || 'the files that were shown';
