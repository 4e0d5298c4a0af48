import type { FleetHost, FleetPool } from './fleet.ts';
import { slotsOf, type HostFacts } from './slots.ts';

/** The part of a machine that a run gets. */
export interface SlotShape {
  /** UUIDs of the slot's GPUs, separated by commas. */
  gpu: string | null;
  /** CPU cores of the slot, which the run's libraries use as threads; null for a whole host or a GPU. */
  cores: number | null;
  /** Slots that share the GPU, or the CPU, with the run's slot, which is one of them. */
  sharing: number;
}

/**
 * The hardware of a run: the models of its GPUs, or without a GPU the model of its CPU and the number of cores; and the
 * slot's share of them. Null if it is unknown. Values of runs on equal hardware can stand for each other: runs on other
 * shares have other threads, and other neighbours slow them down.
 */
export function hardwareClass(
  { cpu, cores, gpus }: Pick<HostFacts, 'cores' | 'gpus'> & { cpu?: string | undefined },
  slot: SlotShape,
): string | null {
  if (slot.gpu === null) {
    if (!cpu) return null;
    const share = slot.cores === null ? '' : `, one of ${slot.sharing} slots of ${slot.cores}`;
    return `${cpu}, ${cores} cores${share}`;
  }
  const models = slot.gpu.split(',').map((uuid) => gpus.find((found) => found.uuid === uuid)?.name);
  if (models.some((model) => !model)) return null;
  const share = slot.sharing === 1 ? '' : `, one of ${slot.sharing} slots`;
  return `${models.sort().join(' + ')}${share}`;
}

/** Slots that share a GPU, or the CPU, of a host in its pool. */
export function slotsThatShare(pool: FleetPool, host: FleetHost, facts: HostFacts): number {
  if (pool.slots === 'cpu') return slotsOf(pool, host, facts).length;
  return pool.slots === 'gpu' ? (pool.perGpu ?? 1) : 1;
}
