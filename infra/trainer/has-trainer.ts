import { findInstalled } from './place.ts';
import type { Trainer } from '../../domain/learning/trainer.ts';

/** Whether the server of a policy can be started: the trainer is installed, or another program is set in its place. */
export const hasTrainer = (from: { packageRoot: string; trainer: Pick<Trainer, 'cache' | 'program'> }): boolean =>
  from.trainer.program !== null || findInstalled({ packageRoot: from.packageRoot, cache: from.trainer.cache }) !== null;
