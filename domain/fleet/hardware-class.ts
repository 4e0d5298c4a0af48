import type { HostFacts } from './slots.ts';

/**
 * The hardware of a run: the models of its GPUs, or without a GPU the model of its CPU and the number of cores. Null if
 * it is unknown. Values of runs on equal hardware can stand for each other. `gpu`: UUIDs of the slot's GPUs, separated
 * by commas.
 */
export function hardwareClass(
  { cpu, cores, gpus }: Pick<HostFacts, 'cores' | 'gpus'> & { cpu?: string | undefined },
  gpu: string | null,
): string | null {
  if (gpu === null) return cpu ? `${cpu}, ${cores} cores` : null;
  const models = gpu.split(',').map((uuid) => gpus.find((found) => found.uuid === uuid)?.name);
  return models.some((model) => !model) ? null : models.sort().join(' + ');
}
