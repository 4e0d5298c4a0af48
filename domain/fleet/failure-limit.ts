/** Longest pause within a spell of failures: after a longer one, attempts have succeeded in between. */
const PAUSE_MS = 60_000;

/** Spells of failures after which the limit is exceeded, however short they are: each slow failure is a spell. */
const MOST_SPELLS = 10;
/** Two days, since one attempt may take a day to fail. */
const FORGET_MS = 2 * 86_400_000;

/** Decides if something that fails repeatedly has failed for too long. */
export interface FailureLimit {
  /**
   * Records a failure of this key. True once failures with pauses of at most a minute have lasted for the limit, or
   * have begun too often.
   */
  isOver(key: string, now: number): boolean;
}

/** Creates a limit. After `forgetMs` without a failure, earlier failures of a key no longer count. */
export function createFailureLimit(limitMs: number, { forgetMs = FORGET_MS } = {}): FailureLimit {
  const failing = new Map<string, { since: number; last: number; spells: number }>();
  return {
    isOver(key, now) {
      for (const [other, { last }] of failing) if (now - last > forgetMs) failing.delete(other);
      const before = failing.get(key);
      const goesOn = before !== undefined && now - before.last <= PAUSE_MS;
      const since = goesOn ? before.since : now;
      const spells = (before?.spells ?? 0) + (goesOn ? 0 : 1);
      failing.set(key, { since, last: now, spells });
      return now - since >= limitMs || spells >= MOST_SPELLS;
    },
  };
}

/**
 * Quarantine of a host that failed, in seconds: doubled with each failure (5, 10, 20, … 600). A run that ends on the
 * host, or an hour without a failure, resets it.
 */
export const QUARANTINE_FIRST_SECONDS = 5;
export const QUARANTINE_LONGEST_SECONDS = 600;
export const QUARANTINE_RESET_SECONDS = 3600;
