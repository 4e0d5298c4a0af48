import { type Method, NO_SETTINGS } from '../method/axis.ts';

/** Rules that choose among several specialists for a proposal. `none`: no specialists. */
export const SPECIALISTS = { none: { settings: NO_SETTINGS } } as const satisfies Record<string, Method>;
