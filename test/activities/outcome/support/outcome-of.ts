import type { OutcomeInput } from '../../../../db/trial/outcome.ts';

/** Outcome of trial `n` of a research: completed without a value, unless `more` says otherwise. */
export const outcomeOf = (researchId: string, n: number, more: Partial<OutcomeInput> = {}): OutcomeInput => ({
  trialId: `${researchId}/${n}`,
  researchId,
  status: 'completed',
  failure: null,
  value: null,
  metrics: {},
  evaluatorNotes: null,
  trusted: true,
  ...more,
});
