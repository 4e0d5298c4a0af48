/** Numbers of the list that a person reads, and how far it is from the newest one. */
export interface Held {
  shown: readonly number[];
  /** Trials that came since. */
  fresh: number;
  /** Whether it differs from the newest one at all. */
  behind: boolean;
}

/**
 * The list as it goes on when a newer one came. At its top it is the newer one. Below, nothing moves under the eyes of who
 * reads: it stays but for what came at its end, and says how many are new.
 */
export function holdOn(shown: readonly number[], newest: readonly number[], atTop: boolean): Held {
  if (atTop || startsWith(newest, shown)) return { shown: newest, fresh: 0, behind: false };
  const there = new Set(shown);
  return { shown, fresh: newest.reduce((sum, n) => sum + (there.has(n) ? 0 : 1), 0), behind: true };
}

const startsWith = (list: readonly number[], start: readonly number[]): boolean =>
  start.length <= list.length && start.every((n, at) => list[at] === n);
