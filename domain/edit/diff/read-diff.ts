import type { KnownPaths } from '../answer/known-paths.ts';
import { pathInLine } from '../answer/path.ts';
import type { Edit } from '../edit.ts';
import { targetFileOf, type Head } from './target-file.ts';

/** Context of a diff: the path above it, or null, and the files that may be changed. */
export interface DiffContext {
  path: string | null;
  known: KnownPaths;
  files: Readonly<Record<string, string>>;
  /** True: a diff may delete a file. */
  deletes?: boolean;
}

/** Lines of a hunk, and the line of the old file that its header states; null if it states none. */
interface Hunk {
  lines: string[];
  from: number | null;
}

interface Reader {
  edits: Edit[];
  path: string | null;
  hunk: Hunk | null;
  /** True: the header deletes the file, so that its hunks say nothing more. */
  isDeleted: boolean;
  /** For each hunk of the current file: the line at which it began, and the number of lines that it added. */
  grown: { from: number; by: number }[];
  /** Lines of files, by path; filled on first use. */
  fileLines: Map<string, ReadonlySet<string>>;
}

const SKIPPED = new RegExp(
  String.raw`^(?:diff --git |index [0-9a-f]|Index: |={20,}$|(?:old|new) mode |` +
    String.raw`(?:new|deleted) file mode |similarity index |\*\*\* (?:Begin Patch|End Patch|End of File)\b)`,
);
const REFUSED: [RegExp, string][] = [
  [/^(?:rename|copy) (?:from|to) |^\*\*\* Move to:/, 'it renames a file'],
  [/^deleted file mode |^\*\*\* Delete File:/, 'it deletes a file'],
  [/^\*\*\* Add File:/, 'it adds a file'],
  [/^(?:GIT binary patch|Binary files )/, 'it is binary'],
];

const DELETED = /^\+\+\+ \/dev\/null/;

/** The change in a line that no diff may make; undefined if the line makes none. */
function refusalOf(line: string, { deletes = false }: DiffContext): string | undefined {
  if (deletes && line.startsWith('deleted file mode ')) return undefined;
  return REFUSED.find(([pattern]) => pattern.test(line))?.[1];
}

/**
 * Reads a diff as SEARCH/REPLACE edits, one for each hunk, or returns the reason why it cannot be read. The file must
 * hold the lines that a hunk shows; if they occur several times, the line that the hunk states selects one. Counts are
 * ignored.
 */
export function readDiff(lines: readonly string[], context: DiffContext): Edit[] | string {
  const reader: Reader = {
    edits: [],
    path: context.path,
    hunk: null,
    isDeleted: false,
    grown: [],
    fileLines: new Map(),
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const refused = reader.hunk && /^[ +-]/.test(line) ? undefined : refusalOf(line, context);
    if (refused !== undefined)
      return `the diff cannot be applied: ${refused}; expected changes of lines in ${listPaths(context.known)}`;
    const head = headAt(lines, at);
    const problem = head || SKIPPED.test(line) || /^@@/.test(line) ? flush(reader, context) : null;
    if (problem !== null) return problem;
    if (head) {
      const isDeleted = context.deletes === true && DELETED.test(head.plus);
      const target = isDeleted ? { ...head, plus: head.minus } : head;
      const path = targetFileOf(target, { ...context, isFirst: reader.edits.length === 0 });
      if (typeof path !== 'string') return path.reason;
      if (isDeleted) reader.edits.push({ path, remove: true });
      Object.assign(reader, { path, isDeleted, grown: [] });
      at += head.lines - 1;
    } else if (/^@@/.test(line)) {
      reader.hunk = { lines: [], from: statedLine(line) };
    } else if (!SKIPPED.test(line) && !/^\\ /.test(line)) {
      takeLine(reader, line, context);
    }
  }
  const problem = flush(reader, context);
  if (problem !== null) return problem;
  return reader.edits.length > 0 ? reader.edits : 'the diff changes nothing; expected lines that begin with - or +';
}

function takeLine(reader: Reader, line: string, { known }: DiffContext): void {
  if (reader.hunk) {
    reader.hunk.lines.push(line);
    return;
  }
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

/** Adds the edit of the hunk that ends here; returns the reason if the hunk cannot be one. */
function flush(reader: Reader, { files }: DiffContext): string | null {
  const { hunk, path } = reader;
  reader.hunk = null;
  if (!hunk || reader.isDeleted) return null;
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
    return (
      `a part of the diff for ${path} shows no line of the file; ` +
      'expected unchanged lines around the added ones, so that their position is certain'
    );
  const before = reader.grown.filter(({ from }) => hunk.from !== null && from < hunk.from);
  const line = (hunk.from ?? 0) + before.reduce((sum, { by }) => sum + by, 0);
  if (hunk.from !== null) reader.grown.push({ from: hunk.from, by: put.length - shown.length });
  reader.edits.push({ path, search: showsNothing ? '' : shown.join('\n'), replace: put.join('\n'), line });
  return null;
}

/**
 * Removes the blank behind the marks if the lines of the file do not have it. The removed lines decide, or the kept
 * lines if no line is removed.
 */
function withoutSpace({ path, fileLines }: Reader, lines: string[], files: DiffContext['files']): string[] {
  if (path === null || !lines.every((line) => !/^\+./.test(line) || line.startsWith('+ '))) return lines;
  const known = fileLines.get(path) ?? new Set((files[path] ?? '').split(/\r\n|\n|\r/));
  fileLines.set(path, known);
  const isSpaced = (line: string): boolean =>
    /^[ -] /.test(line) && !known.has(line.slice(1)) && known.has(line.slice(2));
  const removed = lines.filter((line) => /^-.*\S/.test(line));
  const judged = removed.length > 0 ? removed : lines.filter((line) => /^[^+].*\S/.test(line));
  if (judged.length === 0 || !judged.every(isSpaced)) return lines;
  return lines.map((line) => (/^[+-]/.test(line) || isSpaced(line) ? line.replace(/^([ +-]) /, '$1') : line));
}

const listPaths = ({ list }: KnownPaths): string => list.slice(0, 20).join(', ') || 'the files that were shown';
