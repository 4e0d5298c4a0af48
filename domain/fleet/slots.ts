import type { FleetHost, FleetPool } from './fleet.ts';
import { chooseGpus, type Gpu } from './gpus.ts';
import { slotsInMemory } from './memory.ts';

/** What a host has, as it says itself. */
export interface HostFacts {
  cores: number;
  memoryMb: number;
  gpus: readonly Gpu[];
  /** UUIDs of the GPUs that it had at any look since the fleet was applied last. */
  gpusSeen?: readonly string[];
}

/**
 * The UUIDs of GPUs that a host has, or had before: where as many are found as were before, or none of those, it has others now (a
 * virtual machine that began anew), and nothing is missing.
 */
export function gpusSeenBy(before: HostFacts | null, found: readonly Gpu[]): string[] {
  const now = found.map(({ uuid }) => uuid);
  const had = before?.gpusSeen ?? before?.gpus.map(({ uuid }) => uuid) ?? [];
  const isAnother = now.length >= had.length || !had.some((uuid) => now.includes(uuid));
  return isAnother && now.length > 0 ? now : [...new Set([...had, ...now])];
}

/** A place where a run of the pool may be on a host; `gpu` is what CUDA_VISIBLE_DEVICES gets: UUIDs, by commas. */
export interface FleetSlot {
  /** Names it among its host's: one of a GPU stays the same when another GPU falls off. */
  key: string;
  index: number;
  gpu: string | null;
}

/** The slots of a host in its pool; none where it has not what a slot needs. One core is left to the host itself. */
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
      // A number that a person set may be more than that: runs that wait share cores well. Memory they do not share.
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

/** A slot that is lent although its host does not give it any more: the fleet was changed under a run. */
export interface LentSlot {
  id: string;
  pool: string;
  gpu: string | null;
}

/** Leaves out slots that would share a GPU, or the host, with what is still held of an earlier shape. */
export function withoutCollidingSlots(of: {
  pool: string;
  slots: readonly FleetSlot[];
  held: readonly LentSlot[];
}): FleetSlot[] {
  const { pool, slots, held } = of;
  return slots.filter((slot) => !held.some((other) => collide(slot, other, pool)));
}

function collide(slot: FleetSlot, held: LentSlot, pool: string): boolean {
  if (slot.key === 'host' || held.id.endsWith('/host')) return true;
  if (slot.gpu === null && held.gpu === null) return held.pool !== pool || coresOf(slot.key) !== coresOf(held.id);
  const theirs = held.gpu?.split(',') ?? [];
  return slot.gpu?.split(',').some((gpu) => theirs.includes(gpu)) ?? false;
}

/** Cores of a slot, of its key or id: `2` and `h/p/2` have one, `4c2` has four. */
const coresOf = (name: string): string => /(\d+)c\d+$/.exec(name)?.[1] ?? '1';
