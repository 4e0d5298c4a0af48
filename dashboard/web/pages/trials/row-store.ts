import type { TrialRow, TrialRows } from '../../../api/trials/rows.ts';
import { fetchJson, researchPath, withQuery } from '../../data/fetch-json.ts';
import { onChanged } from '../../data/live.ts';

/** Delay of a read, so that a continuous scroll does not request every row that it passes. */
const SETTLE_MS = 60;
/** Least time between two reads of rows that may have changed. */
const SPACING_MS = 1000;
/** Limit of rows in the store. */
const MOST_KEPT = 5000;

/** The round in which a row was read. Each notification of a change begins a new round. */
interface Read {
  round: number;
}

interface StoreState {
  /** Numbers of the visible rows, in order. */
  visible: readonly number[];
  known: ReadonlyMap<number, Read>;
  /** The present round. */
  round: number;
}

/** Limit of rows in a request. */
const ROWS_AT_ONCE = 200;

/** The visible rows to read: unknown rows first, then rows that may have changed since. */
export function rowsToRead({ visible, known, round }: StoreState): number[] {
  const missing = visible.filter((n) => !known.has(n));
  const old = visible.filter((n) => (known.get(n)?.round ?? round) < round);
  return [...missing, ...old].slice(0, ROWS_AT_ONCE);
}

/** The rows to forget so that `limit` rows remain: those that were read longest ago, but no visible row. */
export function rowsToForget({ visible, known }: Omit<StoreState, 'round'>, limit: number): number[] {
  if (known.size <= limit) return [];
  const visibleRows = new Set(visible);
  // A map iterates in the order of insertion, which is the order of reads.
  return [...known.keys()].filter((n) => !visibleRows.has(n)).slice(0, known.size - limit);
}

/** A row that was read; null: there is no such trial. */
type Known = Read & { row: TrialRow | null };

/** Cache of a research's trial rows. It reads rows when they become visible, and visible rows again after a change. */
export class RowStore {
  readonly #research: string;
  readonly #known = new Map<number, Known>();
  readonly #listeners = new Set<() => void>();
  #visible: readonly number[] = [];
  #round = 0;
  #version = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = 0;
  #reading = false;
  #readAt = 0;

  constructor(research: string) {
    this.#research = research;
  }

  /** Calls the listener when rows were read. The store follows changes of the research only while it has a listener. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    const unsubscribe = onChanged((changed) => {
      if (changed !== null && changed !== this.#research) return;
      this.#round += 1;
      this.#schedule(Math.max(SETTLE_MS, this.#readAt + SPACING_MS - performance.now()));
    });
    return () => {
      unsubscribe();
      this.#listeners.delete(listener);
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  };

  version = (): number => this.#version;

  /** The row of a trial; undefined: not read yet; null: there is no such trial. */
  rowOf = (n: number): TrialRow | null | undefined => this.#known.get(n)?.row;

  /** Sets the visible rows. */
  setVisible(visible: readonly number[]): void {
    this.#visible = visible;
    this.#schedule(SETTLE_MS);
  }

  #schedule(ms: number): void {
    if (this.#reading || this.#next().length === 0) return;
    const dueAt = performance.now() + ms;
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#read();
    }, ms);
  }

  #next(): number[] {
    return rowsToRead({ visible: this.#visible, known: this.#known, round: this.#round });
  }

  async #read(): Promise<void> {
    const numbers = this.#next();
    if (numbers.length === 0 || document.hidden) return;
    this.#reading = true;
    this.#readAt = performance.now();
    const round = this.#round;
    let pause = SETTLE_MS;
    try {
      const path = withQuery(researchPath(this.#research, 'trials'), { n: numbers.join(',') });
      const { rows } = await fetchJson<TrialRows>(path);
      this.#store(numbers, { rows, round });
    } catch {
      pause = SPACING_MS; // the banner reports that the server is away
    }
    this.#reading = false;
    if (this.#listeners.size > 0) this.#schedule(pause);
  }

  #store(numbers: readonly number[], { rows, round }: { rows: readonly TrialRow[]; round: number }): void {
    const found = new Map(rows.map((row) => [row.n, row]));
    for (const n of numbers) {
      this.#known.delete(n); // moves the row to the end of the map's order
      this.#known.set(n, { row: found.get(n) ?? null, round });
    }
    for (const n of rowsToForget({ visible: this.#visible, known: this.#known }, MOST_KEPT)) this.#known.delete(n);
    this.#version += 1;
    for (const listener of [...this.#listeners]) listener();
  }
}
