import { type Method, NO_SETTINGS } from '../method/axis.ts';

/** Rules that detect a known proposal. `exact`: by the candidate's id. */
export const NOVELTY = { exact: { settings: NO_SETTINGS } } as const satisfies Record<string, Method>;
