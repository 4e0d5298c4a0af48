import {
  candidateNumberText,
  type CandidateNumber,
  type CandidateRange,
} from '../../../../view/page/candidate-columns.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { readCandidateValues } from './read-candidate-values.ts';

/** Position after a candidate in the order of a column: its number in that column, and the number of its trial. */
export interface ColumnCursor {
  value: number | null;
  n: number;
}

export interface ColumnOrderInput {
  research: ResearchView;
  number: CandidateNumber;
  order: 'asc' | 'desc';
  ranges: readonly CandidateRange[];
  /** Null: the first page. */
  after: ColumnCursor | null;
  limit: number;
}

/** Numbers of the candidates' trials on a page, and the position for the next page. */
export interface ColumnPage {
  numbers: number[];
  next: ColumnCursor | null;
}

export type ColumnOrderReader = (db: Tx, input: ColumnOrderInput) => Promise<ColumnPage>;

/** Orders that are kept: each has 1.6 MB at 50,000 candidates. */
const KEPT = 8;
/** Time after which a scroll reads the order again. */
const FRESH_MS = 10 * 60_000;

/** An order; `value`: the column by position, nulls at the end. */
interface Snapshot {
  readAt: number;
  n: readonly number[];
  value: readonly (number | null)[];
}

/**
 * Creates a reader of candidates by a column that no index has. The first page reads all candidates. The pages after
 * it come from that order, so a scroll reads only the rows that it shows. If the order is no longer kept, the cursor
 * gives the position in a new one.
 */
export function createColumnOrderReader(clock = () => performance.now()): ColumnOrderReader {
  const kept = new Map<string, Snapshot>();
  return async (db, { research, number, order, ranges, after, limit }) => {
    const key = JSON.stringify([research.id, research.taskHash, candidateNumberText(number), order, ranges]);
    let snapshot = kept.get(key);
    if (after === null || snapshot === undefined || clock() - snapshot.readAt > FRESH_MS) {
      const { n, values } = await readCandidateValues(db, research, { numbers: [number], ranges });
      snapshot = { readAt: clock(), ...orderByColumn({ n, value: values[0] ?? [] }, order) };
    }
    kept.delete(key);
    kept.set(key, snapshot);
    for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
    return pageOf(snapshot, { order, after, limit });
  };
}

type Column = Pick<Snapshot, 'n' | 'value'>;

/** Sorts candidates by a column. Equal ones come by their number; those without a number come last in both orders. */
export function orderByColumn({ n, value }: Column, order: 'asc' | 'desc'): Column {
  const places = n.map((number, at) => ({ n: number, value: value[at] ?? null }));
  places.sort((a, b) => compare(a, b, order));
  return { n: places.map((place) => place.n), value: places.map((place) => place.value) };
}

function compare(a: ColumnCursor, b: ColumnCursor, order: 'asc' | 'desc'): number {
  if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null) || a.n - b.n;
  return (order === 'asc' ? a.value - b.value : b.value - a.value) || a.n - b.n;
}

function pageOf({ n, value }: Column, { order, after, limit }: Pick<ColumnOrderInput, 'order' | 'after' | 'limit'>) {
  const placeAt = (at: number): ColumnCursor => ({ n: n[at] ?? 0, value: value[at] ?? null });
  const found = after === null ? 0 : n.findIndex((_, at) => compare(placeAt(at), after, order) > 0);
  const from = found === -1 ? n.length : found;
  const end = Math.min(n.length, from + limit);
  return { numbers: n.slice(from, end), next: end < n.length ? placeAt(end - 1) : null };
}
