import { NO_SETTINGS } from '../../method/axis.ts';
import { defineParent } from '../parent.ts';

/** Every proposal starts from the incumbent, so that a change is either kept or reverted. */
export const best = defineParent({
  settings: NO_SETTINGS,
  reads: 'standing',
  followsLead: false,
  choose: ({ incumbent }) => ({ candidateId: incumbent, reason: 'the incumbent' }),
});
