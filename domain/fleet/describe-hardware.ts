import type { FleetPool } from './fleet.ts';
import type { HostFacts } from './slots.ts';

/** A host as far as its hardware is told. */
export interface Equipped {
  facts: HostFacts | null;
  poolSpec: FleetPool;
}

/** What a run gets on the hosts of a pool, a line for each kind of host; empty where none has been looked at yet. */
export const describeHardware = (hosts: readonly Equipped[]): string[] =>
  [...new Set(hosts.flatMap(({ facts, poolSpec }) => (facts === null ? [] : [wordsOf(poolSpec, facts)])))].slice(0, 5);

function wordsOf(pool: FleetPool, { cores, memoryMb, gpus }: HostFacts): string {
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

/** What a run gets on the worker's own machine. */
export const describeOwnHardware = ({ cores, slots }: { cores: number; slots: number }): string =>
  `${slots === 1 ? 'the only run' : `one of ${slots} runs at a time`} on ${plainCores(cores)}, no GPU`;

const plainCores = (cores: number): string => (cores === 1 ? 'one core' : `${cores} cores`);
