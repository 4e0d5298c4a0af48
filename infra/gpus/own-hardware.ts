import { availableParallelism, cpus } from 'node:os';
import { hardwareClass } from '../../domain/fleet/hardware-class.ts';
import { machineGpus } from './machine-gpus.ts';

/**
 * The hardware of a run on one of this machine's slots. A run without a GPU of its own may see the GPUs of the machine,
 * so they are part of its hardware. Null if a model is unknown.
 */
export async function readOwnHardware(
  env: Readonly<Record<string, string | undefined>>,
  slot: { cores: number | null; sharing: number },
): Promise<string | null> {
  const found = await machineGpus(env);
  const cpu = cpus()[0]?.model.trim();
  const own = hardwareClass({ cpu, cores: availableParallelism(), gpus: [] }, { gpu: null, ...slot });
  if (own === null || found === 'absent') return own;
  if ('fault' in found || found.broken.length > 0) return null;
  const models = found.gpus.map(({ name }) => name).sort();
  return [own, ...models].join(' + ');
}
