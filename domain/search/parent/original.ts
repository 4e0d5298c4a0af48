import { NO_SETTINGS } from '../../method/axis.ts';
import { defineParent } from '../parent.ts';

/** Every proposal starts from the unmodified candidate. */
export const original = defineParent({
  settings: NO_SETTINGS,
  reads: 'standing',
  followsLead: false,
  isOriginal: true,
  choose: ({ original }) => ({ candidateId: original, reason: 'the original' }),
});
