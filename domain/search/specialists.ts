import { type Method, methodOf, NO_SETTINGS } from './axis.ts';

/** Choice among several specialists for a proposal. `none`: there are none. */
export const SPECIALISTS = { none: { settings: NO_SETTINGS } } as const satisfies Record<string, Method>;

/** A stored choice; throws UnknownMethod for one that this build does not have. */
export const specialistsOf = (stored: unknown) => methodOf('search.specialists', SPECIALISTS, stored);
