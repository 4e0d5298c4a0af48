import { NO_SETTINGS } from '../axis.ts';
import { defineReward } from '../reward.ts';

/** No outcome has a reward. */
export const none = defineReward({ settings: NO_SETTINGS, by: () => null });
