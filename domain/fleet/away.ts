/** Seconds that the host of an asked program may be away for, beyond the limits of its evaluation. */
export const MOST_AWAY_SECONDS = 60;
