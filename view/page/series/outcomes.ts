/** Outcomes that a chart of trials distinguishes. A dot has the index of its outcome. */
export const OUTCOMES = [
  'keep',
  'confirm',
  'discard',
  'absorbed',
  'scored',
  'stopped-early',
  'failed',
  'cached',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const outcomeIndex = (outcome: Outcome): number => OUTCOMES.indexOf(outcome);
