/** Outcomes that have a shape, a colour and a label of their own in charts. A dot's `outcome` is an index into this. */
export { OUTCOMES, type Outcome } from '../../view/page/series/outcomes.ts';

/** Outcomes of the runs in the fleet's Gantt chart. A bar's `outcome` is an index into this. */
export const GANTT_OUTCOMES = ['running', 'completed', 'aborted', 'failed', 'lost', 'other'] as const;
