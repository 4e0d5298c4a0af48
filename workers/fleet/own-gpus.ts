import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/load.ts';
import type { Db } from '../../db/connect.ts';
import { declareOwnGpus, withdrawOwnGpus } from '../../db/host/own-gpus.ts';
import { isSystemPath } from '../../infra/compute/run-protocol/spec.ts';
import { onPath } from '../../infra/temporal/cli/find-cli.ts';
import { SYSTEM_PATH } from '../../infra/system-path.ts';

/**
 * Declares the GPUs of this machine as slots, if it has an nvidia-smi. They are probed like any host of the fleet, so
 * that an nvidia-smi that hangs or fails is reported and blocks nothing. `home`: the home's name for this machine.
 */
export async function lendOwnGpus(db: Db, { config, home }: { config: Config; home: string }): Promise<void> {
  const { ownGpus: gpus, env } = config;
  const [program] = onPath('nvidia-smi', `${SYSTEM_PATH}:${env.PATH ?? ''}`);
  if (gpus === 'none' || program === undefined) return withdrawOwnGpus(db, home);
  await declareOwnGpus(db, { home, gpus, ...driverOf(program, env), scratch: join(config.home, 'gpus') });
}

/**
 * PATH and variables with which runs find the driver's programs and libraries. On WSL and in some containers they lie
 * beside the system's usual folders, in folders that PATH and LD_LIBRARY_PATH name. Sandboxes show only system folders.
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
