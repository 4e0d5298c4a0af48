import { NO_SETTINGS } from '../axis.ts';
import type { ParentRule } from '../parent.ts';

/** Every proposal starts from the incumbent: keep or revert. */
export const best = {
  settings: NO_SETTINGS,
  reads: 'standing',
  followsLead: false,
  choose: ({ incumbent }) => ({ candidateId: incumbent, reason: 'the incumbent' }),
} satisfies ParentRule;
