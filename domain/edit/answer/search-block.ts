import { columnsOf, sharedColumns, withoutColumns } from './indent.ts';

interface Texts {
  search: string;
  replace: string;
}

/**
 * A `<<<<<<< SEARCH … ======= … >>>>>>> REPLACE` block, or its problem. `inset`: the texts of an indented block without
 * the white space that they share with its first mark.
 */
export type SearchBlock = (Texts & { ok: true; inset: Texts | null; end: number }) | { ok: false; why: string };

/** The length of the marks if a line opens a SEARCH block, else 0. */
export function searchMarks(line: string): number {
  return /^\s*(<{5,20}) ?SEARCH\b.{0,200}$/.exec(line)?.[1]?.length ?? 0;
}

const LINE_NUMBERS = new RegExp(
  String.raw`[\s,:@([]*\b(?:(?:at|from|on)\s{1,3})?(?:lines?|block|part|edit|no|L)?[\s.:#]{0,3}` +
    String.raw`\d{1,7}(?:\s{0,2}[-–/]\s{0,2}L?\d{1,7})?[)\]:]*\s*$`,
  'i',
);

/** Text behind the word SEARCH in a mark, without line numbers. */
export const nameInMark = (line: string): string =>
  (/SEARCH\b[\s:]*(.*)$/.exec(line)?.[1] ?? '').replace(LINE_NUMBERS, '').trim();

/**
 * Reads the block whose first line is `lines[from]`; `end` is its last line. The three marks have the same length. A
 * text that itself holds `=======` needs longer marks: it would be unclear which of two such lines divides the block.
 */
export function readSearchBlock(lines: readonly string[], from: number): SearchBlock {
  const length = searchMarks(lines[from] ?? '');
  const columns = columnsOf(lines[from] ?? '');
  // The other marks of an indented block may be indented, too.
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
  if (replace.some(divides)) {
    const [open, middle, close] = ['<', '=', '>'].map((mark) => mark.repeat(length + 2));
    return {
      ok: false,
      why:
        `two lines ${'='.repeat(length)}, so that the end of its SEARCH text is ambiguous; ` +
        `use longer marks (${open} SEARCH, ${middle}, ${close} REPLACE)`,
    };
  }
  const shared = sharedColumns([...search, ...replace], columns);
  const text = { search: search.join('\n'), replace: replace.join('\n') };
  if (shared === 0) return { ok: true, ...text, inset: null, end };
  const unindented = (part: string[]): string => withoutColumns(part, shared).join('\n');
  return { ok: true, ...text, inset: { search: unindented(search), replace: unindented(replace) }, end };
}

const CUT = ' (was the answer cut off?)';

function find(lines: readonly string[], from: number, matches: (line: string) => boolean): number | null {
  for (let i = from; i < lines.length; i += 1) if (matches(lines[i] ?? '')) return i;
  return null;
}
