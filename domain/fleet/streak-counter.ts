/** Forgotten after two days in which nothing was added: what is counted may itself take one. */
const FORGET_MS = 2 * 86_400_000;

/** Counts what happens in a row. */
export interface StreakCounter {
  /** One more of that key: how many there are by now. */
  add(key: string, now: number): number;
  /** That row is over. */
  forget(key: string): void;
}

export function createStreakCounter(): StreakCounter {
  const counts = new Map<string, { count: number; last: number }>();
  return {
    add(key, now) {
      for (const [other, { last }] of counts) if (now - last > FORGET_MS) counts.delete(other);
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, { count, last: now });
      return count;
    },
    forget: (key) => void counts.delete(key),
  };
}
