/** A failure this long after the one before is another one: what was asked went well in between. */
const APART_MS = 60_000;

/** Spells of failures after which it is over, however short: what takes long to fail is tried no more often. */
const MOST_SPELLS = 10;
/** Two days: what is asked may itself take one to fail. */
const FORGET_MS = 2 * 86_400_000;

/** Says of something that fails again and again whether it has done so for too long. */
export interface FailureLimit {
  /** True once failures of that key, none a minute after the one before, have gone on for the limit, or begun too often. */
  isOver(key: string, now: number): boolean;
}

/** `forgetMs`: after so long without a failure all went well, and what was before is forgotten. */
export function createFailureLimit(limitMs: number, { forgetMs = FORGET_MS } = {}): FailureLimit {
  const failing = new Map<string, { since: number; last: number; spells: number }>();
  return {
    isOver(key, now) {
      for (const [other, { last }] of failing) if (now - last > forgetMs) failing.delete(other);
      const before = failing.get(key);
      const goesOn = before !== undefined && now - before.last <= APART_MS;
      const since = goesOn ? before.since : now;
      const spells = (before?.spells ?? 0) + (goesOn ? 0 : 1);
      failing.set(key, { since, last: now, spells });
      return now - since >= limitMs || spells >= MOST_SPELLS;
    },
  };
}

/**
 * Seconds for which a host that failed is not tried again: doubled with each failure since a run came to its end there (5, 10,
 * 20, … 600), or since an hour without any.
 */
export const QUARANTINE_FIRST_SECONDS = 5;
export const QUARANTINE_LONGEST_SECONDS = 600;
export const QUARANTINE_RESET_SECONDS = 3600;
