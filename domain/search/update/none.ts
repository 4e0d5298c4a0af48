import { NO_SETTINGS } from '../axis.ts';
import type { UpdateMethod } from '../update.ts';

/** A proposer stays as it is. */
export const none = { settings: NO_SETTINGS, plan: () => null } satisfies UpdateMethod;
