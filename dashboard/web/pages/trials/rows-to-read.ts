/** When a row was read, in rounds: a round begins with every word that something of the research changed. */
export interface Read {
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
export const ROWS_AT_ONCE = 200;

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
