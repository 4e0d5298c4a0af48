import { NO_SETTINGS } from '../../method/axis.ts';
import { defineParent } from '../parent.ts';

/** Every proposal starts from the lead, which need not be confirmed by a claim. */
export const lead = defineParent({
  settings: NO_SETTINGS,
  reads: 'standing',
  followsLead: true,
  choose: ({ lead }) => ({ candidateId: lead, reason: 'the lead' }),
});
