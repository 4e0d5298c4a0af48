import type { FleetPool } from './fleet.ts';
import type { HostFacts } from './slots.ts';

/** A host with its hardware; `facts` null: not probed yet. */
export interface Equipped {
  facts: HostFacts | null;
  poolSpec: FleetPool;
}

/** Describes a run's hardware on the hosts of a pool, one line for each of up to five kinds; empty before a probe. */
export function describeHardware(hosts: readonly Equipped[]): string[] {
  const lines = hosts.flatMap(({ facts, poolSpec }) => (facts === null ? [] : [describeSlot(poolSpec, facts)]));
  return [...new Set(lines)].slice(0, 5);
}

function describeSlot(pool: FleetPool, { cores, memoryMb, gpus }: HostFacts): string {
  const host = `a host of ${cores} cores and ${memoryMb} MB of memory`;
  const models = [...new Set(gpus.map(({ name, memoryMb }) => `${name} with ${memoryMb} MB`))].join(' or ');
  switch (pool.slots) {
    case 'host':
      return `all of ${host}${gpus.length === 0 ? ', no GPU' : `, ${gpus.length} GPUs: ${models}`}`;
    case 'gpu':
      return `${(pool.perGpu ?? 1) > 1 ? `one of ${pool.perGpu} shares of a GPU` : 'one GPU'} (${models}) of ${host}`;
    case 'cpu':
      return `${plainCores(pool.cores ?? 1)} of ${host}, no GPU`;
  }
}

/** Describes a run's hardware on the worker's own machine. */
export const describeOwnHardware = ({ cores, slots }: { cores: number; slots: number }): string =>
  `${slots === 1 ? 'the only run' : `one of ${slots} runs at a time`} on ${plainCores(cores)}, no GPU`;

const plainCores = (cores: number): string => (cores === 1 ? 'one core' : `${cores} cores`);
