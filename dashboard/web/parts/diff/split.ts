import type { DiffLine } from './lines.ts';
import type { Pair } from './pairs.ts';

/** A row of the side-by-side view: indices of lines in the hunk; null: that side is empty. */
export interface SplitRow {
  left: number | null;
  right: number | null;
}

/** Rows of the side-by-side view. Paired lines face each other, and so do, in order, the lines between two pairs. */
export function splitRows(lines: readonly DiffLine[], pairs: readonly Pair[]): SplitRow[] {
  const partner = new Map(pairs);
  const rows: SplitRow[] = [];
  let [removed, added]: [number[], number[]] = [[], []];
  const flush = () => {
    rows.push(...facing(removed, added, partner));
    [removed, added] = [[], []];
  };
  lines.forEach(({ kind }, index) => {
    if (kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(index);
    } else if (kind === 'added') added.push(index);
    else if (kind === 'same') {
      flush();
      rows.push({ left: index, right: index });
    } else if (added.length > 0) added.push(index);
    else removed.push(index);
  });
  flush();
  return rows;
}

/** Rows of one block of removed and added lines. `partner`: the added line of a removed one, by their indices. */
function facing(removed: number[], added: number[], partner: ReadonlyMap<number, number>): SplitRow[] {
  const rows: SplitRow[] = [];
  let [i, j] = [0, 0];
  const zip = (untilLeft: number, untilRight: number) => {
    while (i < untilLeft || j < untilRight)
      rows.push({
        left: i < untilLeft ? (removed[i++] ?? null) : null,
        right: j < untilRight ? (added[j++] ?? null) : null,
      });
  };
  removed.forEach((removedIndex, position) => {
    const addedIndex = partner.get(removedIndex);
    if (addedIndex === undefined) return;
    zip(position, added.indexOf(addedIndex));
    rows.push({ left: removed[i++] ?? null, right: added[j++] ?? null });
  });
  zip(removed.length, added.length);
  return rows;
}
