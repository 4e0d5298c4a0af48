/** Quantities of an axis: trial numbers, seconds since the start, spent seconds on slots, tokens, USD. */
export const SERIES_AXES = ['trial', 'time', 'slotSeconds', 'tokens', 'usd'] as const;
export type Axis = (typeof SERIES_AXES)[number];
