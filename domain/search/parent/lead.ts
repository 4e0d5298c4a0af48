import { NO_SETTINGS } from '../axis.ts';
import type { ParentRule } from '../parent.ts';

/** Every proposal starts from the lead, which is no claim. */
export const lead = {
  settings: NO_SETTINGS,
  reads: 'standing',
  followsLead: true,
  choose: ({ lead }) => ({ candidateId: lead, reason: 'the lead' }),
} satisfies ParentRule;
