import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trainer } from '../../domain/learning/trainer.ts';

export interface OptimizerLocation {
  packageRoot: string;
  trainer: Pick<Trainer, 'cache'>;
}

/** Lock, folder and interpreter of the environment, and the program that runs in it. */
export function optimizerPaths({ packageRoot, trainer }: OptimizerLocation) {
  const lock = join(packageRoot, 'optimizer', 'requirements.lock');
  const name = createHash('sha256').update(readFileSync(lock)).digest('hex').slice(0, 16);
  const folder = join(trainer.cache, `optimizer-${name}`);
  const program = join(packageRoot, 'optimizer', 'serve.py');
  return { lock, folder, python: join(folder, 'bin', 'python'), program };
}

/** True if the environment is installed. A copy of the program may have been made without the optimizer. */
export const hasOptimizer = (location: OptimizerLocation): boolean =>
  existsSync(join(location.packageRoot, 'optimizer', 'requirements.lock')) &&
  existsSync(optimizerPaths(location).python);
