import { type DiffLine, type Hunk, linesOf } from './lines.ts';
import { pairsOf } from './pairs.ts';
import { type SplitRow, splitRows } from './split.ts';
import { type Part, diffWords } from './diff-words.ts';

/** A hunk as both views draw it. */
export interface ReadHunk {
  lines: DiffLine[];
  rows: SplitRow[];
  /** Parts of those lines that became another one, by their places. */
  parts: Map<number, Part[]>;
}

/** Lines, rows side by side and words that changed of a hunk. */
export function readHunk(hunk: Hunk): ReadHunk {
  const lines = linesOf(hunk);
  const pairs = pairsOf(lines);
  const parts = new Map<number, Part[]>();
  for (const [removed, added] of pairs) {
    const found = diffWords(lines[removed]?.text ?? '', lines[added]?.text ?? '');
    if (!found) continue;
    parts.set(removed, found.before);
    parts.set(added, found.after);
  }
  return { lines, rows: splitRows(lines, pairs), parts };
}
