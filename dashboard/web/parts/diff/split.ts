import type { DiffLine } from './lines.ts';
import type { Pair } from './pairs.ts';

/** A row of the view side by side, by places of lines in the hunk; null: nothing stands on that side. */
export interface SplitRow {
  left: number | null;
  right: number | null;
}

/** The rows of a hunk side by side: paired lines face each other, those between them do so in order. */
export function splitRows(lines: readonly DiffLine[], pairs: readonly Pair[]): SplitRow[] {
  const partner = new Map(pairs);
  const rows: SplitRow[] = [];
  let [removed, added]: [number[], number[]] = [[], []];
  const flush = () => {
    rows.push(...facing(removed, added, partner));
    [removed, added] = [[], []];
  };
  lines.forEach(({ kind }, place) => {
    if (kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(place);
    } else if (kind === 'added') added.push(place);
    else if (kind === 'same') {
      flush();
      rows.push({ left: place, right: place });
    } else if (added.length > 0) added.push(place);
    else removed.push(place);
  });
  flush();
  return rows;
}

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
  removed.forEach((place, index) => {
    const other = partner.get(place);
    if (other === undefined) return;
    zip(index, added.indexOf(other));
    rows.push({ left: removed[i++] ?? null, right: added[j++] ?? null });
  });
  zip(removed.length, added.length);
  return rows;
}
