import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { MainActivities } from '../../activities/index.ts';
import { optionsOf } from '../timeouts.ts';

/** The activities of the loop, by class of timeouts. The Web UI shows `summary` beside their names. */
export const activitiesOf = (tempo: number, summary?: string) => {
  const { short, slow, look } = optionsOf(tempo);
  const shown = summary === undefined ? {} : { summary };
  return {
    quick: proxyActivities<MainActivities>({ ...short, ...shown }),
    slow: proxyActivities<MainActivities>({ ...slow, ...shown }),
    /** After a cancel, the workflow waits until the activity has ended. */
    slowUntilEnd: proxyActivities<MainActivities>({
      ...slow,
      ...shown,
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    }),
    look: proxyActivities<MainActivities>({ ...look, ...shown }),
  };
};
