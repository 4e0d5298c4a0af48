import { findInstalledTrainer } from './trainer-paths.ts';
import type { Trainer } from '../../domain/learning/trainer.ts';

/** Whether a policy can be sampled: the trainer is installed, or another program or server is set in its place. */
export const hasTrainer = ({ packageRoot, trainer }: From): boolean =>
  trainer.endpoint !== null ||
  trainer.program !== null ||
  findInstalledTrainer({ packageRoot, cache: trainer.cache }) !== null;

/** Whether it can learn, too. */
export const canLearn = (from: From): boolean => from.trainer.endpoint === null && hasTrainer(from);

interface From {
  packageRoot: string;
  trainer: Pick<Trainer, 'cache' | 'program' | 'endpoint'>;
}
