import { type Method, NO_SETTINGS } from '../method/axis.ts';

/** How a proposal that is not new is told. `exact`: by the candidate's id. */
export const NOVELTY = { exact: { settings: NO_SETTINGS } } as const satisfies Record<string, Method>;
