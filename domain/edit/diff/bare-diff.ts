import { beginsDiff } from './is-diff.ts';

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
