import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { MainActivities } from '../../activities/index.ts';
import { localOptions, optionsOf } from '../timeouts.ts';

/** The activities of the loop, by class of timeout; `summary` is what the Web UI shows beside their names. */
export const activitiesOf = (tempo: number, summary?: string) => {
  const { short, slow, look } = optionsOf(tempo);
  const shown = summary === undefined ? {} : { summary };
  return {
    quick: proxyActivities<MainActivities>({ ...short, ...shown }),
    slow: proxyActivities<MainActivities>({ ...slow, ...shown }),
    look: proxyActivities<MainActivities>({ ...look, ...shown }),
    local: proxyLocalActivities<MainActivities>(localOptions(tempo)),
  };
};
