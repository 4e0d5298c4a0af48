/** Outcomes that a chart of trials tells apart; a dot has the index of its own. */
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
