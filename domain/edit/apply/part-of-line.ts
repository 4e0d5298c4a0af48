import { columnsOf } from '../answer/indent.ts';
import type { Splice } from './line-ends.ts';

/**
 * Puts a replacement in the place of a part of a line. Where the part begins behind white space alone and several lines come
 * for it, each gets that white space; refused where it may have it already.
 */
export function partOfLine(
  text: string,
  at: number,
  { path, search, replace }: { path: string; search: string; replace: string },
): Splice | { reason: string } {
  const splice = { from: at, to: at + search.length, put: replace };
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const [first = '', ...later] = replace.split('\n');
  if (before === '' || before.trim() !== '' || later.length === 0) return splice;
  const has = (line: string): boolean => line.trim() === '' || line.startsWith(before);
  // Lines of the file behind the first one show how far in the new ones are meant to stand.
  const [, ...searched] = search.split('\n');
  const further = depthOf(searched) > depthOf(later);
  if (searched.length > 0 && !further && (later.every(has) || !searched.every(has))) return splice;
  if (searched.length > 0 || further || later.every(has))
    return {
      reason: `the SEARCH text for ${path} begins behind the ${before.length} blanks of its line, and how far in the lines of the REPLACE text stand is unclear; copy whole lines, with their white space`,
    };
  return { ...splice, put: [first, ...later.map((line) => (line.trim() === '' ? line : before + line))].join('\n') };
}

/** The columns of white space before the line of them that stands least far in; 0 without lines. */
function depthOf(lines: readonly string[]): number {
  const depths = lines.filter((line) => line.trim() !== '').map(columnsOf);
  return depths.length === 0 ? 0 : depths.reduce((least, depth) => Math.min(least, depth));
}
