/** A failure this long after the one before is another one: what was asked went well in between. */
const APART_MS = 60_000;

/** Says of something that fails again and again whether it has done so for too long. */
export interface Patience {
  /** True once the failures of that key, none a minute after the one before, have gone on for the limit. */
  isOver(key: string, now: number): boolean;
}

export function createPatience(limitMs: number): Patience {
  const failing = new Map<string, { since: number; last: number }>();
  return {
    isOver(key, now) {
      for (const [other, { last }] of failing) if (now - last > APART_MS) failing.delete(other);
      const since = failing.get(key)?.since ?? now;
      failing.set(key, { since, last: now });
      return now - since >= limitMs;
    },
  };
}
