/**
 * Seconds for which a host that failed is not tried again: doubled with each failure since a run came to its end there (5, 10,
 * 20, … 600), or since an hour without any.
 */
export const FIRST_SECONDS = 5;
export const LONGEST_SECONDS = 600;
export const FORGIVEN_SECONDS = 3600;
