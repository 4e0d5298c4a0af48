import type { Fence } from '../answer/fences.ts';
import { namesInHeader } from './header.ts';

const OWN_KIND = /\.(?:diff|patch)$/i;
export const DIFF_INFO = /^(?:u?diff|patch|git-diff|diff-fenced|unidiff|udiff)\b/i;

/**
 * True if a block under `path` is a diff instead of a whole file: by its fence, by its first lines, or since it removes
 * lines of the old file and adds others. A block for a mutable `x.diff` is a whole file, unless the diff names that
 * file.
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

/** True if a file is itself a diff, by its name or its text. */
export const isOwnDiff = (path: string, old: string | undefined): boolean =>
  OWN_KIND.test(path) || (old !== undefined && old.trim() !== '' && beginsAsDiff(old));

/** True if a diff of any form begins in a line. */
export function beginsDiff(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = lines.slice(at, at + 2);
  if (/^(?:diff --git |\*\*\* (?:Begin Patch|Update File:|Add File:|Delete File:))/.test(line)) return true;
  if (/^Index: \S/.test(line)) return lines.slice(at, at + 5).some((near) => near.startsWith('+++ '));
  if (/^--- \S/.test(line) && /^\+\+\+ \S/.test(next)) return true;
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(line) || (/^@@(?:\s|$)/.test(line) && /^[ +-]/.test(next));
}

function beginsAsDiff(old: string): boolean {
  const lines = old.slice(0, 4000).split(/\r\n|\n|\r/);
  const first = lines.findIndex((line) => line.trim() !== '');
  return first >= 0 && beginsDiff(lines, first);
}

/**
 * True if each line begins with a blank, a + or a -, and some line with a blank or a - is a line of the old file behind
 * that mark. Only lines with a letter count, so that a number that became negative is no evidence.
 */
function hasColumnOfMarks(lines: readonly string[], old: string): boolean {
  if (!lines.every((line) => line.trim() === '' || /^[ +-]/.test(line)) || !lines.some((line) => /^[+-]/.test(line)))
    return false;
  const oldLines = new Set(old.split(/\r\n|\n|\r/));
  return lines.some((line) => /^[ -].*\p{L}/u.test(line) && oldLines.has(line.slice(1)) && !oldLines.has(line));
}

/** True if lines have `-a` with `a` a line of the old file, and a `+b`, neither of them a line of the old file. */
function changesLines(lines: readonly string[], old: string): boolean {
  if (!lines.some((line) => line.startsWith('+')) || !lines.some((line) => line.startsWith('-'))) return false;
  const oldLines = new Set(old.split(/\r\n|\n|\r/));
  const isNew = (line: string): boolean => !oldLines.has(line);
  const removesLine = (line: string): boolean =>
    line.startsWith('-') && line.slice(1).trim() !== '' && oldLines.has(line.slice(1)) && isNew(line);
  return lines.some(removesLine) && lines.some((line) => line.startsWith('+') && isNew(line));
}

/** Lines that belong to a diff. */
const PART = /^(?:[ +\-@\\]|diff --git |index [0-9a-f]|Index: |(?:old|new|deleted) (?:file )?mode |\*\*\* |$)/;

/**
 * Finds the end (the first line behind it) of a diff outside of blocks that begins in line `from`. Null if no diff
 * begins there; `unclear` if further lines of a diff follow after a line of another kind.
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
