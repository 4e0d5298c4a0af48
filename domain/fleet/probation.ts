/**
 * Seconds for which a host that failed is not tried again: doubled with each failure since a run was launched there (5, 10,
 * 20, … 600).
 */
export const FIRST_SECONDS = 5;
export const LONGEST_SECONDS = 600;
