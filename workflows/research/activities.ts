import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { MainActivities } from '../../activities/index.ts';
import { localOptions, optionsOf } from '../timeouts.ts';

/** The activities of the loop, by class of timeout. */
export const activitiesOf = (tempo: number) => {
  const { short, slow, look } = optionsOf(tempo);
  return {
    quick: proxyActivities<MainActivities>(short),
    slow: proxyActivities<MainActivities>(slow),
    look: proxyActivities<MainActivities>(look),
    local: proxyLocalActivities<MainActivities>(localOptions(tempo)),
  };
};
