import { type DiffLine, type Hunk, linesOf } from './lines.ts';
import { pairsOf } from './pairs.ts';
import { type SplitRow, splitRows } from './split.ts';
import { type Part, diffWords } from './diff-words.ts';

/** A hunk prepared for the unified and the side-by-side view. */
export interface PreparedHunk {
  lines: DiffLine[];
  /** Rows of the side-by-side view. */
  rows: SplitRow[];
  /** Parts of each removed line and of the added line that replaced it, by the line's index in `lines`. */
  parts: Map<number, Part[]>;
}

/** Prepares a hunk for both views. */
export function prepareHunk(hunk: Hunk): PreparedHunk {
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
