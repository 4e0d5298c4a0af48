/** Outcomes that dots tell apart, each with a shape, a colour and a word; a dot's `outcome` is an index into this. */
export { OUTCOMES, type Outcome } from '../../view/page/series/outcomes.ts';

/** How bars of the fleet's time ended; a bar's `outcome` is an index into this. */
export const GANTT_OUTCOMES = ['running', 'completed', 'aborted', 'failed', 'lost', 'other'] as const;
