import { columnsOf, sharedColumns, withoutColumns } from './indent.ts';

interface Texts {
  search: string;
  replace: string;
}

/**
 * A `<<<<<<< SEARCH … ======= … >>>>>>> REPLACE` block, or what is wrong with one. `inset`: the texts of one that stands in,
 * without the white space that they have in common with its first mark.
 */
export type SearchBlock = (Texts & { ok: true; inset: Texts | null; end: number }) | { ok: false; why: string };

/** The length of the marks if a line opens a SEARCH block, else 0. */
export function searchMarks(line: string): number {
  return /^\s*(<{5,20}) ?SEARCH\b.{0,200}$/.exec(line)?.[1]?.length ?? 0;
}

/**
 * Reads the block whose first line is `lines[from]`; `end` is its last line. The three marks have one length: a text
 * that holds `=======` itself goes into a block with longer marks, since which of two such lines divides it is unclear.
 */
export function readSearchBlock(lines: readonly string[], from: number): SearchBlock {
  const length = searchMarks(lines[from] ?? '');
  const columns = columnsOf(lines[from] ?? '');
  // The other marks of a block that stands in may stand in, too.
  const bare = (line: string): string => (columns > 0 && columnsOf(line) <= columns ? line.trim() : line.trimEnd());
  const opens = (line: string): boolean => searchMarks(line) >= length;
  const divides = (line: string): boolean => bare(line) === '='.repeat(length);
  const divider = find(lines, from + 1, (line) => divides(line) || opens(line));
  if (divider === null || opens(lines[divider] ?? '')) return { ok: false, why: `no line ${'='.repeat(length)}${CUT}` };
  const closing = '>'.repeat(length);
  const closes = (line: string): boolean =>
    line.startsWith(closing) && (line === closing || /^ ?REPLACE\b/.test(line.slice(length)));
  const end = find(lines, divider + 1, (line) => closes(bare(line)) || opens(line));
  if (end === null || opens(lines[end] ?? '')) return { ok: false, why: `no line ${closing} REPLACE${CUT}` };
  const [search, replace] = [lines.slice(from + 1, divider), lines.slice(divider + 1, end)];
  if (replace.some(divides))
    return {
      ok: false,
      why: `two lines ${'='.repeat(length)}, so that where its SEARCH text ends is unclear; use longer marks (${'<'.repeat(length + 2)} SEARCH, ${'='.repeat(length + 2)}, ${'>'.repeat(length + 2)} REPLACE)`,
    };
  const shared = sharedColumns([...search, ...replace], columns);
  const text = { search: search.join('\n'), replace: replace.join('\n') };
  if (shared === 0) return { ok: true, ...text, inset: null, end };
  const [further, put] = [search, replace].map((part) => withoutColumns(part, shared).join('\n')) as [string, string];
  return { ok: true, ...text, inset: { search: further, replace: put }, end };
}

const CUT = ' (was the answer cut off?)';

function find(lines: readonly string[], from: number, is: (line: string) => boolean): number | null {
  for (let i = from; i < lines.length; i += 1) if (is(lines[i] ?? '')) return i;
  return null;
}
