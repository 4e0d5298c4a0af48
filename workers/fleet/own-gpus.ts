import { dirname, join } from 'node:path';
import type { Config } from '../../config/load.ts';
import type { Db } from '../../db/connect.ts';
import { declareOwnGpus, withdrawOwnGpus } from '../../db/host/own-gpus.ts';
import { onPath } from '../../infra/temporal/find-cli.ts';
import { SYSTEM_PATH } from '../../infra/system-path.ts';

/**
 * Declares the GPUs of this machine as slots, where it has an nvidia-smi: looks at them are as at those of any host of the fleet, so
 * that an nvidia-smi which hangs or fails is told and holds nothing up. `home`: the name that the home has for this machine.
 */
export async function lendOwnGpus(db: Db, { config, home }: { config: Config; home: string }): Promise<void> {
  const { ownGpus: gpus, env } = config;
  const isThere = onPath('nvidia-smi', `${SYSTEM_PATH}:${env.PATH ?? ''}`).length > 0;
  if (gpus === 'none' || !isThere) return withdrawOwnGpus(db, home);
  const path = `${dirname(process.execPath)}:${SYSTEM_PATH}`;
  await declareOwnGpus(db, { home, gpus, path, scratch: join(config.home, 'gpus') });
}
