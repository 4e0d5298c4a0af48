import { NO_SETTINGS } from '../../method/axis.ts';
import { defineLearningUpdate } from '../update.ts';

/** A proposer stays as it is. */
export const none = defineLearningUpdate({ settings: NO_SETTINGS, plan: () => null });
