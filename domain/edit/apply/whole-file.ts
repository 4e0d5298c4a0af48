import { searchMarks } from '../answer/search-block.ts';
import { withEndsOf, withLineFeeds } from './line-ends.ts';

/**
 * A whole new file with the line ends that the old one had for the same lines. The last line has an end where the old one's
 * had; what holds a `\r` of its own stays as it is. Refused where it holds marks of another form that the old one did not hold.
 */
export function wholeFile(path: string, old: string, content: string): string | { reason: string } {
  const mark = markIn(old, content);
  if (mark !== null)
    return {
      reason: `the block for ${path} is taken as the whole file, but holds the line ${JSON.stringify(mark.slice(0, 200))}; give either the whole new content without such marks, or SEARCH/REPLACE blocks alone, right under the line with the path`,
    };
  const text = content.includes('\r') ? content : withEndsOf(old, content);
  return old !== '' && !/[\r\n]$/.test(old) ? text.replace(/(?:\r\n|\n|\r)$/, '') : text;
}

const MARK = /^\s*(?:>{5,20} ?REPLACE\b|<{7} \S|>{7} \S|\|{7} \S)/;

/** A part of a diff of the older kinds, which are not read. */
function isOldDiff(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = lines.slice(at, at + 2);
  return (
    /^\*{3} \d+(?:,\d+)? \*{4}$/.test(line) || (/^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$/.test(line) && /^[<>] /.test(next))
  );
}

/** A line of SEARCH/REPLACE, of a merge that was left half done, or of an older kind of diff. */
function markIn(old: string, content: string): string | null {
  if (!/[<>|*]{4}|^\d+[acd,]/m.test(content)) return null;
  const there = new Set(withLineFeeds(old).split('\n'));
  const lines = withLineFeeds(content).split('\n');
  const found = lines.find(
    (line, at) => (searchMarks(line) > 0 || MARK.test(line) || isOldDiff(lines, at)) && !there.has(line),
  );
  return found?.trim() ?? null;
}
