import type { Fence } from '../answer/fences.ts';
import { namesInHeader } from './header.ts';

const OWN_KIND = /\.(?:diff|patch)$/i;
export const DIFF_INFO = /^(?:u?diff|patch|git-diff|diff-fenced|unidiff|udiff)\b/i;

/**
 * Whether a block under `path` is a diff and no whole file: by its fence, by its first lines, or since it takes out lines of
 * the old file and puts in others. A mutable `x.diff` is its own whole file, unless the diff in it names that very file.
 */
export function isDiff(
  lines: readonly string[],
  { fence, path, old }: { fence: Fence; path: string | null; old: string | undefined },
): boolean {
  const first = lines.findIndex((line) => line.trim() !== '');
  const begins = first >= 0 && beginsDiff(lines, first);
  if (path !== null && isOwnDiff(path, old))
    return begins && lines.slice(first, first + 6).some((line) => namesInHeader(line).includes(path));
  if (begins) return true;
  if (DIFF_INFO.test(fence.info)) return lines.some((line) => /^[-+]/.test(line));
  return old !== undefined && (changesLines(lines, old) || hasColumnOfMarks(lines, old));
}

/** Whether a file is a diff itself, by its name or its text. */
export const isOwnDiff = (path: string, old: string | undefined): boolean =>
  OWN_KIND.test(path) || (old !== undefined && old.trim() !== '' && beginsAsOneItself(old));

/** Whether a diff in one of its forms begins in that line. */
export function beginsDiff(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = lines.slice(at, at + 2);
  if (/^(?:diff --git |\*\*\* (?:Begin Patch|Update File:|Add File:|Delete File:))/.test(line)) return true;
  if (/^Index: \S/.test(line)) return lines.slice(at, at + 5).some((one) => one.startsWith('+++ '));
  if (/^--- \S/.test(line) && /^\+\+\+ \S/.test(next)) return true;
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(line) || (/^@@(?:\s|$)/.test(line) && /^[ +-]/.test(next));
}

function beginsAsOneItself(old: string): boolean {
  const lines = old.slice(0, 4000).split(/\r\n|\n|\r/);
  const first = lines.findIndex((line) => line.trim() !== '');
  return first >= 0 && beginsDiff(lines, first);
}

/**
 * Each line begins with a blank, a + or a -, and behind a blank or a - stands a line that the old file has, without that mark.
 * A number that became a negative one is no such line.
 */
function hasColumnOfMarks(lines: readonly string[], old: string): boolean {
  if (!lines.every((line) => line.trim() === '' || /^[ +-]/.test(line)) || !lines.some((line) => /^[+-]/.test(line)))
    return false;
  const there = new Set(old.split(/\r\n|\n|\r/));
  return lines.some((line) => /^[ -].*\p{L}/u.test(line) && there.has(line.slice(1)) && !there.has(line));
}

/** `-a` where the old file has a line `a`, and a `+b`, neither of them a line of it. */
function changesLines(lines: readonly string[], old: string): boolean {
  if (!lines.some((line) => line.startsWith('+')) || !lines.some((line) => line.startsWith('-'))) return false;
  const there = new Set(old.split(/\r\n|\n|\r/));
  const isNew = (line: string): boolean => !there.has(line);
  const takesOut = (line: string): boolean =>
    line.startsWith('-') && line.slice(1).trim() !== '' && there.has(line.slice(1)) && isNew(line);
  return lines.some(takesOut) && lines.some((line) => line.startsWith('+') && isNew(line));
}

/** Lines of a diff, wherever it stands. */
const PART = /^(?:[ +\-@\\]|diff --git |index [0-9a-f]|Index: |(?:old|new|deleted) (?:file )?mode |\*\*\* |$)/;

/**
 * The end (the first line behind it) of a diff that stands in no block, from line `from` on; null where none begins there, and
 * `unclear` where lines of the same kind follow that a line of another kind cuts off from it.
 */
export function endOfBareDiff(lines: readonly string[], from: number): number | 'unclear' | null {
  if (!beginsDiff(lines, from) || /^@@(?! -\d)/.test(lines[from] ?? '')) return null;
  if (/^\*\*\* /.test(lines[from] ?? '')) {
    for (let at = from; at < lines.length; at += 1) if (/^\*\*\* End Patch/.test(lines[at] ?? '')) return at + 1;
    return lines.length;
  }
  let end = from;
  while (end < lines.length && PART.test(lines[end] ?? '')) end += 1;
  const behind = lines.slice(end, end + 200);
  const cut = behind.findIndex((line, at) => beginsDiff(behind, at) || /^\s{0,8}(?:`{3}|~{3})/.test(line));
  return behind.slice(0, cut < 0 ? undefined : cut).some((line) => /^(?:\+\S|@@ )/.test(line)) ? 'unclear' : end;
}
