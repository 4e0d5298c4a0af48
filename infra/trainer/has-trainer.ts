import { findInstalled } from './place.ts';
import type { TrainerSettings } from './settings.ts';

/** Whether the server of a policy can be started: the trainer is installed, or another program is set in its place. */
export const hasTrainer = (from: {
  packageRoot: string;
  trainer: Pick<TrainerSettings, 'cache' | 'program'>;
}): boolean =>
  from.trainer.program !== null || findInstalled({ packageRoot: from.packageRoot, cache: from.trainer.cache }) !== null;
