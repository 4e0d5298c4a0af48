import { findInstalledTrainer } from './trainer-paths.ts';
import type { Trainer } from '../../domain/learning/trainer.ts';

/** True if a policy can be sampled: the trainer is installed, or another program or server is configured instead. */
export const hasTrainer = ({ packageRoot, trainer }: TrainerSource): boolean =>
  trainer.endpoint !== null ||
  trainer.program !== null ||
  findInstalledTrainer({ packageRoot, cache: trainer.cache }) !== null;

/** True if a policy can also learn. */
export const canLearn = (source: TrainerSource): boolean => source.trainer.endpoint === null && hasTrainer(source);

interface TrainerSource {
  packageRoot: string;
  trainer: Pick<Trainer, 'cache' | 'program' | 'endpoint'>;
}
