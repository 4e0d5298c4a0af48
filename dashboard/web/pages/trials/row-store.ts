import type { TrialRow, TrialRows } from '../../../api/trials/rows.ts';
import { fetchJson, ofResearch, withQuery } from '../../data/fetch-json.ts';
import { onChanged } from '../../data/live.ts';

/** Before the first read, so that a scroll that goes on does not ask for every stretch that it passes. */
const SETTLE_MS = 60;
/** At most so often for rows that may have changed, however much does. */
const APART_MS = 1000;
/** Rows that are kept. */
const KEPT = 5000;

/** When a row was read, in rounds: a round begins with every word that something of the research changed. */
interface Read {
  round: number;
}

interface Asked {
  /** Numbers of the rows in sight, in their order. */
  wanted: readonly number[];
  known: ReadonlyMap<number, Read>;
  /** The present round. */
  round: number;
}

/** Rows of one request at most. */
const ROWS_AT_ONCE = 200;

/** The rows in sight that have to be read: those that are not known first, then those that may have changed since. */
export function rowsToRead({ wanted, known, round }: Asked): number[] {
  const missing = wanted.filter((n) => !known.has(n));
  const old = wanted.filter((n) => (known.get(n)?.round ?? round) < round);
  return [...missing, ...old].slice(0, ROWS_AT_ONCE);
}

/** The rows to forget so that `limit` are kept: the oldest read first, never one in sight. */
export function rowsToForget({ wanted, known }: Omit<Asked, 'round'>, limit: number): number[] {
  if (known.size <= limit) return [];
  const inSight = new Set(wanted);
  // A map keeps the order in which its rows came in.
  return [...known.keys()].filter((n) => !inSight.has(n)).slice(0, known.size - limit);
}

/** Null: there is no such trial. */
type Known = Read & { row: TrialRow | null };

/** The rows of a research's trials as far as they were in sight; those in sight are read anew when something changes. */
export class RowStore {
  readonly #research: string;
  readonly #known = new Map<number, Known>();
  readonly #heard = new Set<() => void>();
  #wanted: readonly number[] = [];
  #round = 0;
  #version = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = 0;
  #reading = false;
  #readAt = 0;

  constructor(research: string) {
    this.#research = research;
  }

  /** Whenever a row came or changed; also reads while somebody hears. */
  subscribe = (heard: () => void): (() => void) => {
    this.#heard.add(heard);
    const unheard = onChanged((changed) => {
      if (changed !== null && changed !== this.#research) return;
      this.#round += 1;
      this.#schedule(Math.max(SETTLE_MS, this.#readAt + APART_MS - performance.now()));
    });
    return () => {
      unheard();
      this.#heard.delete(heard);
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  };

  version = (): number => this.#version;

  /** The row of a trial; undefined while it is on its way, null where there is none. */
  rowOf = (n: number): TrialRow | null | undefined => this.#known.get(n)?.row;

  /** Says which rows are in sight. */
  want(wanted: readonly number[]): void {
    this.#wanted = wanted;
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
    return rowsToRead({ wanted: this.#wanted, known: this.#known, round: this.#round });
  }

  async #read(): Promise<void> {
    const numbers = this.#next();
    if (numbers.length === 0 || document.hidden) return;
    this.#reading = true;
    this.#readAt = performance.now();
    const round = this.#round;
    let pause = SETTLE_MS;
    try {
      const path = withQuery(ofResearch(this.#research, 'trials'), { n: numbers.join(',') });
      const { rows } = await fetchJson<TrialRows>(path);
      this.#take(numbers, { rows, round });
    } catch {
      pause = APART_MS; // the banner says that the server is away
    }
    this.#reading = false;
    if (this.#heard.size > 0) this.#schedule(pause);
  }

  #take(numbers: readonly number[], { rows, round }: { rows: readonly TrialRow[]; round: number }): void {
    const found = new Map(rows.map((row) => [row.n, row]));
    for (const n of numbers) {
      this.#known.delete(n); // so that it comes in at the end
      this.#known.set(n, { row: found.get(n) ?? null, round });
    }
    for (const n of rowsToForget({ wanted: this.#wanted, known: this.#known }, KEPT)) this.#known.delete(n);
    this.#version += 1;
    for (const heard of [...this.#heard]) heard();
  }
}
