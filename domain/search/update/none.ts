import { NO_SETTINGS } from '../axis.ts';
import { defineLearningUpdate } from '../update.ts';

/** A proposer stays as it is. */
export const none = defineLearningUpdate({ settings: NO_SETTINGS, plan: () => null });
