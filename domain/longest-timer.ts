/** The longest that a timer of the runtime can wait, in milliseconds; a longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
