import { existsSync } from 'node:fs';
import type { Config } from '../../config/load.ts';
import { chooseGpus, describeBroken, type Gpu } from '../../domain/fleet/gpus.ts';
import { GPU_POOL } from '../../domain/fleet/own-gpus.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { plural } from '../../domain/text/plural.ts';
import { machineGpus } from '../../infra/gpus/machine-gpus.ts';
import { type Finding, ok, remark } from './finding.ts';

const HOW = `to run a task on one, set run.resources.pool: ${GPU_POOL} (npx perpetua init DIR --pool ${GPU_POOL})`;

/** Checks the GPUs of this machine: a worker that starts here makes them slots. `amd`: the device file of AMD GPUs. */
export async function checkGpus(
  { env, ownGpus }: Pick<Config, 'env' | 'ownGpus'>,
  { amd = '/dev/kfd' }: { amd?: string } = {},
): Promise<Finding> {
  const found = await machineGpus(env);
  if (found === 'absent' && existsSync(amd))
    return remark('gpus', `an AMD GPU (${amd}), which is no slot: only GPUs that nvidia-smi lists are slots`);
  if (found === 'absent') return remark('gpus', 'none: there is no nvidia-smi on the PATH');
  if ('fault' in found)
    return remark('gpus', `cannot be used: ${oneLine(found.fault)}`, 'see what nvidia-smi says, or reboot the machine');
  const broken = describeBroken(found.broken);
  if (broken !== null) {
    const whole = found.gpus.length === 0 ? [] : [namesOf(found.gpus)];
    return remark('gpus', [...whole, oneLine(broken)].join('; '), 'see what nvidia-smi says, or reboot the machine');
  }
  if (found.gpus.length === 0) return remark('gpus', 'none: nvidia-smi lists none');
  if (ownGpus === 'none')
    return remark('gpus', `${namesOf(found.gpus)}, no slots: PERPETUA_GPUS or CUDA_VISIBLE_DEVICES excludes them`);
  const { gpus, missing } = chooseGpus(found.gpus, ownGpus);
  if (missing.length > 0)
    return remark(
      'gpus',
      `expected ${missing.join(', ')}, found ${namesOf(found.gpus)}`,
      'correct PERPETUA_GPUS, or CUDA_VISIBLE_DEVICES',
    );
  return ok('gpus', `${namesOf(gpus)}; ${HOW}`);
}

function namesOf(gpus: readonly Gpu[]): string {
  const names = gpus.map(({ name, memoryMb }) => `${oneLine(name)}, ${Math.round(memoryMb / 1024)} GiB`);
  return `${plural(gpus.length, 'GPU')} (${names.join('; ')})`;
}
