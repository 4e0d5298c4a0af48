import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/load.ts';
import type { Db } from '../../db/connect.ts';
import { declareOwnGpus, withdrawOwnGpus } from '../../db/host/own-gpus.ts';
import { isSystemPath } from '../../infra/compute/run-protocol/spec.ts';
import { onPath } from '../../infra/temporal/find-cli.ts';
import { SYSTEM_PATH } from '../../infra/system-path.ts';

/**
 * Declares the GPUs of this machine as slots, where it has an nvidia-smi: looks at them are as at those of any host of the fleet, so
 * that an nvidia-smi which hangs or fails is told and holds nothing up. `home`: the name that the home has for this machine.
 */
export async function lendOwnGpus(db: Db, { config, home }: { config: Config; home: string }): Promise<void> {
  const { ownGpus: gpus, env } = config;
  const [program] = onPath('nvidia-smi', `${SYSTEM_PATH}:${env.PATH ?? ''}`);
  if (gpus === 'none' || program === undefined) return withdrawOwnGpus(db, home);
  await declareOwnGpus(db, { home, gpus, ...driverOf(program, env), scratch: join(config.home, 'gpus') });
}

/**
 * Where runs find the driver's programs and libraries: on WSL and in some containers they lie beside the system's own, and what
 * tells so is PATH and LD_LIBRARY_PATH. Other folders than the system's no sandbox shows.
 */
export function driverOf(
  program: string,
  { LD_LIBRARY_PATH = '' }: Readonly<Record<string, string | undefined>>,
  isThere: (path: string) => boolean = existsSync,
): { path: string; env: Record<string, string> } {
  const folders = [dirname(process.execPath), ...SYSTEM_PATH.split(':')];
  const own = dirname(program);
  if (isSystemPath(own) && !folders.includes(own)) folders.push(own);
  const libraries = LD_LIBRARY_PATH.split(':').filter(
    (folder) => isSystemPath(folder) && isThere(join(folder, 'libcuda.so.1')),
  );
  return {
    path: folders.join(':'),
    env: libraries.length > 0 ? { LD_LIBRARY_PATH: libraries.join(':') } : {},
  };
}
