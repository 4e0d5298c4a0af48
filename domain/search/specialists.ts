import { type Method, NO_SETTINGS } from '../method/axis.ts';

/** Choice among several specialists for a proposal. `none`: there are none. */
export const SPECIALISTS = { none: { settings: NO_SETTINGS } } as const satisfies Record<string, Method>;
