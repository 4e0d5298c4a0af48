/** What an axis counts: trial numbers, seconds since the start, spent seconds on slots, tokens, USD. */
export const AXES = ['trial', 'time', 'slotSeconds', 'tokens', 'usd'] as const;
export type Axis = (typeof AXES)[number];
