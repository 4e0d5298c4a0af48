import { NO_SETTINGS } from '../../method/axis.ts';
import { defineLearningUpdate } from '../update.ts';

/** The proposer does not learn. */
export const none = defineLearningUpdate({ settings: NO_SETTINGS, plan: () => null });
