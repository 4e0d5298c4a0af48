import { NO_SETTINGS } from '../../method/axis.ts';
import { defineReward } from '../reward.ts';

/** No outcome has a reward. */
export const none = defineReward({ settings: NO_SETTINGS, by: () => null });
