import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { MainActivities } from '../../activities/index.ts';
import { optionsOf } from '../timeouts.ts';

/** The activities of the loop, by class of timeout; `summary` is what the Web UI shows beside their names. */
export const activitiesOf = (tempo: number, summary?: string) => {
  const { short, slow, look } = optionsOf(tempo);
  const shown = summary === undefined ? {} : { summary };
  return {
    quick: proxyActivities<MainActivities>({ ...short, ...shown }),
    slow: proxyActivities<MainActivities>({ ...slow, ...shown }),
    /** One that is cancelled and goes on all the same is waited for. */
    slowToItsEnd: proxyActivities<MainActivities>({
      ...{ ...slow, ...shown },
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    }),
    look: proxyActivities<MainActivities>({ ...look, ...shown }),
  };
};
