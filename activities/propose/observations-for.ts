import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { nothingObserved, type Observations, type ObservationLimits } from '../../domain/search/observations.ts';
import type { Task } from '../../domain/task/task.ts';

/** Reads the observations that a method uses, under the trial's task version; none if the method states no reach. */
export const observationsFor = (
  store: { trial: Pick<TxStore['trial'], 'readObservations'> },
  { trial, task, reach }: { trial: Trial; task: Task; reach: ObservationLimits | undefined },
): Promise<Observations> => {
  const { researchId, taskHash } = trial;
  const { direction } = task.metric;
  return reach === undefined
    ? Promise.resolve(nothingObserved(direction))
    : store.trial.readObservations({ researchId, taskHash, direction, reach });
};
