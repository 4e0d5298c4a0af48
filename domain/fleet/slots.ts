import type { FleetHost, FleetPool } from './fleet.ts';
import { chooseGpus, type Gpu } from './gpus.ts';
import { slotsInMemory } from './memory.ts';

/** Hardware of a host, as the host reports it. */
export interface HostFacts {
  /** Model of its CPUs; absent: unknown. */
  cpu?: string;
  cores: number;
  memoryMb: number;
  gpus: readonly Gpu[];
  /** UUIDs of the GPUs found by any probe since the fleet was last applied. */
  gpusSeen?: readonly string[];
}

/**
 * UUIDs of the GPUs that a host has, or had before. If at least as many are found as before, or none of the earlier
 * ones, its GPUs were exchanged (a recreated virtual machine): only the found ones count, and none is missing.
 */
export function gpusSeenBy(before: HostFacts | null, found: readonly Gpu[]): string[] {
  const now = found.map(({ uuid }) => uuid);
  const had = before?.gpusSeen ?? before?.gpus.map(({ uuid }) => uuid) ?? [];
  const areExchanged = now.length >= had.length || !had.some((uuid) => now.includes(uuid));
  return areExchanged && now.length > 0 ? now : [...new Set([...had, ...now])];
}

/** A slot of a host for a run of the pool; `gpu` becomes CUDA_VISIBLE_DEVICES: UUIDs separated by commas. */
export interface FleetSlot {
  /** Name of the slot within its host. The key of a GPU's slot stays the same if another GPU is lost. */
  key: string;
  index: number;
  gpu: string | null;
}

/** The slots of a host in its pool; none if the host lacks what a slot needs. One core is left to the host itself. */
export function slotsOf(pool: FleetPool, host: FleetHost, facts: HostFacts): FleetSlot[] {
  switch (pool.slots) {
    case 'host':
      return [
        {
          key: 'host',
          index: 0,
          gpu:
            chooseGpus(facts.gpus, host.gpus)
              .gpus.map(({ uuid }) => uuid)
              .join(',') || null,
        },
      ];
    case 'cpu': {
      const cores = pool.cores ?? 1;
      const given = Math.max(1, Math.floor((facts.cores - 1) / cores));
      // A configured number may exceed the cores, since runs that wait share cores well. Memory cannot be shared.
      const most = Math.min(host.slots ?? given, slotsInMemory(pool, facts));
      return Array.from({ length: facts.cores < cores ? 0 : most }, (_, index) => ({
        key: cores === 1 ? String(index) : `${cores}c${index}`,
        index,
        gpu: null,
      }));
    }
    case 'gpu':
      return chooseGpus(facts.gpus, host.gpus)
        .gpus.flatMap(({ uuid }) =>
          Array.from({ length: pool.perGpu ?? 1 }, (_, share) => ({
            key: share === 0 ? uuid : `${uuid}.${share}`,
            gpu: uuid,
          })),
        )
        .map((slot, index) => ({ ...slot, index }));
  }
}

/** A slot that is still lent although its host no longer gives it: the fleet changed during a run. */
export interface LentSlot {
  id: string;
  pool: string;
  gpu: string | null;
}

/** Leaves out slots that would share a GPU, or the host, with slots of an earlier shape that are still held. */
export function withoutCollidingSlots({
  pool,
  slots,
  held,
}: {
  pool: string;
  slots: readonly FleetSlot[];
  held: readonly LentSlot[];
}): FleetSlot[] {
  return slots.filter((slot) => !held.some((other) => collide(slot, other, pool)));
}

function collide(slot: FleetSlot, held: LentSlot, pool: string): boolean {
  if (slot.key === 'host' || held.id.endsWith('/host')) return true;
  if (slot.gpu === null && held.gpu === null) return held.pool !== pool || coresOf(slot.key) !== coresOf(held.id);
  const heldGpus = held.gpu?.split(',') ?? [];
  return slot.gpu?.split(',').some((gpu) => heldGpus.includes(gpu)) ?? false;
}

/** Cores of a slot by its key or id: `2` and `h/p/2` have one, `4c2` has four. */
const coresOf = (name: string): string => /(\d+)c\d+$/.exec(name)?.[1] ?? '1';
