import { type Method, methodOf, NO_SETTINGS } from './axis.ts';

/** How a proposer learns from outcomes. `none`: it stays as it is. */
export const UPDATES = { none: { settings: NO_SETTINGS } } as const satisfies Record<string, Method>;

/** A stored choice; throws UnknownMethod for one that this build does not have. */
export const updateOf = (stored: unknown) => methodOf('search.update', UPDATES, stored);
