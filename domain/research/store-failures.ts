import type { FailureLabel } from '../trial.ts';

/** Label of trials that ended because the database failed, was full, or refused a value. */
export const STORE_FAILED = 'database-failed' satisfies FailureLabel;
/** Beginning of the message of such a trial; the words of the database follow. */
export const STORE_MESSAGE = 'the database could not store the trial';

/** Consecutive ends from which on a research waits. */
const HELD_FROM = 3;
/** Seconds from the last such end to the next try. */
const RETRY_SECONDS = 300;

/** Trials that the database ended one after the other, up to now. */
export interface StoreFailures {
  inARow: number;
  /** Message of the newest one. */
  message: string;
  /** Seconds since the end of the newest one. */
  secondsSince: number;
}

/** A hold of new trials: the reason in words, and the number of trials that may start nevertheless. */
export interface StoreHold {
  reason: string;
  room: 0 | 1;
}

/**
 * The hold of a research whose last trials the database ended; null if there is none. One trial at a time tries again,
 * so that a value that is always refused does not run in a loop.
 */
export function storeHold(failures: StoreFailures | null, { running }: { running: number }): StoreHold | null {
  if (failures === null || failures.inARow < HELD_FROM) return null;
  const { message, secondsSince } = failures;
  const words = message.startsWith(STORE_MESSAGE) ? message.slice(STORE_MESSAGE.length).replace(/^: /, '') : message;
  return {
    reason:
      `database: it could not store the last trials: ${words}. ` +
      `Mend the database; one trial every ${RETRY_SECONDS / 60} minutes tries again`,
    room: running === 0 && secondsSince >= RETRY_SECONDS ? 1 : 0,
  };
}
