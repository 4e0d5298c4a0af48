import { existsSync } from 'node:fs';
import { buildEnvironment, type InstallOptions } from '../trainer/install-trainer.ts';
import { waitForLock } from '../trainer/wait-for-lock.ts';
import { optimizerPaths } from './optimizer-paths.ts';

/** Sizes as measured on Linux with x86-64. */
const OPTIMIZER = { name: 'the optimizer', download: '60 MB', disk: '260 MB', bytes: 2.6e8 };

/**
 * Builds the optimizer's environment from its hashed lock if it is missing, whole or not at all. Throws as
 * `installTrainer` does.
 */
export async function installOptimizer(options: InstallOptions): Promise<{ folder: string; made: boolean }> {
  const paths = optimizerPaths(options);
  const { tell, signal } = options;
  if (existsSync(paths.python)) return { folder: paths.folder, made: false };
  const release = await waitForLock(`${paths.folder}.lock`, { tell, ...(signal && { signal }) });
  try {
    if (existsSync(paths.python)) return { folder: paths.folder, made: false };
    await buildEnvironment(paths, { ...options, what: OPTIMIZER });
    return { folder: paths.folder, made: true };
  } finally {
    release();
  }
}
