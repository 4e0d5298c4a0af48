/** Time without an addition after which a streak is dropped: two days, since one event may take a day. */
const FORGET_MS = 2 * 86_400_000;

/** Counts events in a row, by key. */
export interface StreakCounter {
  /** Adds an event, and returns the length of the streak. */
  add(key: string, now: number): number;
  /** Time of the streak's first event; undefined if there is none. */
  firstOf(key: string): number | undefined;
  /** Ends the streak. */
  forget(key: string): void;
}

export function createStreakCounter(): StreakCounter {
  const counts = new Map<string, { count: number; first: number; last: number }>();
  return {
    add(key, now) {
      for (const [other, { last }] of counts) if (now - last > FORGET_MS) counts.delete(other);
      const known = counts.get(key);
      const count = (known?.count ?? 0) + 1;
      counts.set(key, { count, first: known?.first ?? now, last: now });
      return count;
    },
    firstOf: (key) => counts.get(key)?.first,
    forget: (key) => void counts.delete(key),
  };
}
