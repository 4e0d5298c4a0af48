import type { FleetHost, FleetPool } from './fleet.ts';
import { chooseGpus, type GpuUse } from './gpus.ts';
import { type FleetSlot, type HostFacts, slotsOf } from './slots.ts';

/** What a look at a host found. */
export interface Look extends HostFacts {
  /** Processes on its GPUs, whosever they are. */
  uses: readonly GpuUse[];
  /** UUIDs of GPUs that other installations hold. */
  held: readonly string[];
  /** What nvidia-smi said where it failed. */
  gpuFault: string | null;
}

/** The slots that a host can lend now, and what a person should know. */
export interface Lendable {
  slots: FleetSlot[];
  /** Why it can lend nothing, now or before something is mended; null where it lends. */
  problem: string | null;
  note: string | null;
}

/** Leaves out GPUs that are gone, and those on which somebody else works; `ours` are GPUs that our runs use. */
export function lendable(of: { pool: FleetPool; host: FleetHost; ours: readonly string[] }, look: Look): Lendable {
  const { pool, host, ours } = of;
  const all = slotsOf(pool, host, look);
  const { gpus, missing } = chooseGpus(look.gpus, host.gpus);
  const nothing =
    pool.slots === 'gpu' ? 'expected a GPU, found none' : `expected ${pool.cores ?? 1} cores, found ${look.cores}`;
  if (pool.slots === 'host' && (missing.length > 0 || look.gpuFault !== null))
    return {
      slots: [],
      problem: oneLine(look.gpuFault) ?? `expected the GPUs ${missing.join(', ')}, found none of that name`,
      note: null,
    };
  if (all.length === 0) return { slots: [], problem: oneLine(look.gpuFault) ?? nothing, note: null };
  const isUsed = (uuid: string): boolean => !ours.includes(uuid) && look.uses.some((use) => use.uuid === uuid);
  const taken = gpus.filter(({ uuid }) => look.held.includes(uuid) || isUsed(uuid));
  const isTaken = ({ gpu }: FleetSlot): boolean => taken.some(({ uuid }) => gpu?.split(',').includes(uuid));
  const notes = [
    ...(look.gpuFault === null ? [] : [oneLine(look.gpuFault) ?? '']),
    ...(missing.length > 0 ? [`the GPUs ${missing.join(', ')} are missing`] : []),
    ...(taken.length > 0 ? [`in use by others: ${taken.map(({ index }) => `GPU ${index}`).join(', ')}`] : []),
  ];
  return { slots: all.filter((slot) => !isTaken(slot)), problem: null, note: notes.join('; ') || null };
}

const oneLine = (text: string | null): string | null => text?.replace(/\s+/g, ' ').trim() ?? null;
