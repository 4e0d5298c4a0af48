import { NO_SETTINGS } from '../axis.ts';
import type { RewardRule } from '../reward.ts';

/** No outcome has a reward. */
export const none = { settings: NO_SETTINGS, by: () => null } satisfies RewardRule;
