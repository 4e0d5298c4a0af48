const FIRST_SECONDS = 5;
const LONGEST_SECONDS = 600;

/** Seconds for which a host that failed so many times in a row (1 or more) is not tried again: 5, 10, 20, … 600. */
export const probationSeconds = (failures: number): number =>
  Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** Math.max(0, Math.min(failures, 16) - 1));
