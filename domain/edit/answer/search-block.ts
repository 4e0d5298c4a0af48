/** A `<<<<<<< SEARCH … ======= … >>>>>>> REPLACE` block, or what is wrong with one. */
export type SearchBlock = { ok: true; search: string; replace: string; end: number } | { ok: false; missing: string };

/** The length of the marks if a line opens a SEARCH block, else 0. */
export function searchMarks(line: string): number {
  return /^\s*(<{5,20}) ?SEARCH\b.{0,200}$/.exec(line)?.[1]?.length ?? 0;
}

/**
 * Reads the block whose first line is `lines[from]`; `end` is its last line. The three marks have one length: a text
 * that holds `=======` itself goes into a block with longer marks.
 */
export function readSearchBlock(lines: readonly string[], from: number): SearchBlock {
  const length = searchMarks(lines[from] ?? '');
  const opens = (line: string): boolean => searchMarks(line) >= length;
  const divider = find(lines, from + 1, (line) => line.trimEnd() === '='.repeat(length) || opens(line));
  if (divider === null || opens(lines[divider] ?? '')) return { ok: false, missing: '='.repeat(length) };
  const closing = '>'.repeat(length);
  const closes = (line: string): boolean => line.trimEnd() === closing || /^ ?REPLACE\b/.test(line.slice(length));
  const end = find(lines, divider + 1, (line) => (line.startsWith(closing) && closes(line)) || opens(line));
  if (end === null || opens(lines[end] ?? '')) return { ok: false, missing: `${closing} REPLACE` };
  return {
    ok: true,
    search: lines.slice(from + 1, divider).join('\n'),
    replace: lines.slice(divider + 1, end).join('\n'),
    end,
  };
}

function find(lines: readonly string[], from: number, is: (line: string) => boolean): number | null {
  for (let i = from; i < lines.length; i += 1) if (is(lines[i] ?? '')) return i;
  return null;
}
