import type { FleetHost, FleetPool } from './fleet.ts';
import {
  chooseGpus,
  type FailedRun,
  type Gpu,
  type GpuUse,
  type Hindrance,
  hindranceOn,
  sharedGpuWithRun,
} from './gpus.ts';
import { slotsInMemory } from './memory.ts';
import { isShortOfFiles, LEAST_FREE_FILES } from '../fault/disk-space.ts';
import { type FleetSlot, type HostFacts, slotsOf } from './slots.ts';

/** Free room below which a host runs nothing: what fails there for want of it is no fault of a candidate. */
const LEAST_ROOM_MB = 256;
const IN_USE = 'in use by others: ';

/** What a look at a host found. */
export interface HostProbe extends HostFacts {
  /** Free on the disk of the scratch folder, in MiB. */
  roomMb: number;
  /** Files that this disk has room for; null where it does not count them. */
  roomFiles: number | null;
  /** Processes on its GPUs, each with whose it is. */
  uses: readonly GpuUse[];
  /** UUIDs of GPUs that other installations hold. */
  held: readonly string[];
  /** UUIDs of those that another host of the fleet lends, which is this very machine; absent: none. */
  elsewhere?: readonly string[];
  /** What nvidia-smi said where it failed; beside GPUs it failed to name their processes: `uses` is not known. */
  gpuFault: string | null;
}

/** The slots that a host can lend now, and what a person should know. */
export interface Lendable {
  slots: FleetSlot[];
  /** Why it can lend nothing, now or before something is mended; null where it lends. */
  problem: string | null;
  note: string | null;
}

/**
 * Leaves out GPUs that are gone, those on which somebody else works, and those on which our own works that was not given
 * them, or is over; `lent` are GPUs of slots that we hold.
 */
export function lendableSlots(
  of: { pool: FleetPool; host: FleetHost; lent: readonly string[] },
  look: HostProbe,
): Lendable {
  const { pool, host, lent } = of;
  const all = slotsOf(pool, host, look);
  const { gpus, missing } = chooseGpus(look.gpus, host.gpus, look.gpusSeen);
  const room = roomProblem(look);
  if (room !== null) return { slots: [], problem: room, note: null };
  if (pool.slots === 'host' && (missing.length > 0 || look.gpuFault !== null))
    return {
      slots: [],
      problem:
        oneLine(look.gpuFault) ?? `expected the GPUs ${missing.join(', ')}, found none of that name${unless(host)}`,
      note: null,
    };
  if (all.length === 0) return { slots: [], problem: oneLine(look.gpuFault) ?? whyNone(pool, host, look), note: null };
  if (pool.slots === 'gpu' && look.gpuFault !== null)
    return { slots: [], problem: `cannot tell who uses its GPUs: ${oneLine(look.gpuFault) ?? ''}`, note: null };
  const hindrance = ({ uuid }: Gpu): Hindrance | null =>
    look.held.includes(uuid)
      ? 'others'
      : hindranceOn(
          look.uses.filter((use) => use.uuid === uuid),
          lent.includes(uuid),
        );
  const isElsewhere = ({ uuid }: Gpu): boolean => look.elsewhere?.includes(uuid) === true;
  const taken = gpus.filter((gpu) => isElsewhere(gpu) || hindrance(gpu) !== null);
  const isTaken = ({ gpu }: FleetSlot): boolean => taken.some(({ uuid }) => gpu?.split(',').includes(uuid));
  const named = (why: Hindrance): string =>
    gpus.flatMap((gpu) => (!isElsewhere(gpu) && hindrance(gpu) === why ? [`GPU ${gpu.index}`] : [])).join(', ');
  const twins = gpus.filter(isElsewhere).map(({ index }) => `GPU ${index}`);
  const notes = [
    ...(look.gpuFault === null ? [] : [oneLine(look.gpuFault) ?? '']),
    ...(missing.length > 0 ? [`the GPUs ${missing.join(', ')} are missing${unless(host)}`] : []),
    ...(twins.length > 0 ? [`lent by another host, which is the same machine: ${twins.join(', ')}`] : []),
    ...(named('others') ? [IN_USE + named('others')] : []),
    ...(named('own') ? [`in use by runs of ours that were not given it, or are over: ${named('own')}`] : []),
  ];
  return { slots: all.filter((slot) => !isTaken(slot)), problem: null, note: notes.join('; ') || null };
}

/** Of GPUs that nobody named it is not known whether somebody took them out. */
const unless = ({ gpus }: FleetHost): string =>
  gpus === 'auto' ? ' (were they taken out? then npx perpetua fleet apply)' : '';

function roomProblem({ roomMb, roomFiles }: Pick<HostProbe, 'roomMb' | 'roomFiles'>): string | null {
  if (roomMb < LEAST_ROOM_MB)
    return `expected at least ${LEAST_ROOM_MB} MiB of room for runs, found ${roomMb}; free some, or set scratch`;
  if (isShortOfFiles(roomFiles))
    return `expected room for at least ${LEAST_FREE_FILES} files of runs (inodes), found ${roomFiles}; free some, or set scratch`;
  return null;
}

/** Why a host gives no slot of its pool. */
export function whyNone(pool: FleetPool, host: FleetHost, facts: HostFacts): string {
  if (pool.slots === 'cpu' && slotsInMemory(pool, facts) < 1)
    return `expected ${pool.memoryMb} MiB of memory for a slot, found ${facts.memoryMb}`;
  if (pool.slots === 'cpu') return `expected ${pool.cores ?? 1} cores, found ${facts.cores}`;
  if (facts.gpus.length === 0) return 'expected a GPU; nvidia-smi names none, or is not on the PATH of its logins';
  const named = Array.isArray(host.gpus) ? host.gpus.join(', ') : host.gpus;
  return `expected the GPUs ${named}; nvidia-smi names ${facts.gpus.map(({ index, uuid }) => `${index} (${uuid})`).join(', ')}`;
}

/**
 * What a host lacks that a run needs: one of its GPUs, room, or that nobody else was on its GPUs; null where nothing, or where
 * there is no run, only room that is asked for. Another installation's lock says nothing of it: a GPU is locked when it is over.
 */
export function shortageIn(
  look: Pick<HostProbe, 'gpus' | 'uses' | 'gpuFault' | 'roomMb' | 'roomFiles'> | undefined,
  run: FailedRun | null,
): string | null {
  if (!look) return null;
  const wanted = run?.gpu?.split(',') ?? [];
  const gone = wanted.filter((gpu) => !look.gpus.some(({ uuid }) => uuid === gpu));
  if (gone.length > 0) return oneLine(look.gpuFault) ?? `the GPU ${gone.join(', ')} is gone`;
  return roomProblem(look) ?? (run && othersOn(look, run));
}

function othersOn({ gpus, uses }: Pick<HostProbe, 'gpus' | 'uses'>, run: FailedRun): string | null {
  const isShared = ({ uuid }: Gpu): boolean =>
    run.gpu?.split(',').includes(uuid) === true && uses.some((use) => use.uuid === uuid && sharedGpuWithRun(use, run));
  const shared = gpus.filter(isShared).map(({ index }) => `GPU ${index}`);
  return shared.length > 0 ? IN_USE + shared.join(', ') : null;
}

/** In words that somebody else has a GPU, as {@link isInUse} knows them. */
export const inUse = (what: string): string => IN_USE + what;

/** Whether that is no more than a GPU that others use: its slot alone is not lent. */
export const isInUse = (shortage: string): boolean => shortage.startsWith(IN_USE);

const oneLine = (text: string | null): string | null => text?.replace(/\s+/g, ' ').trim() ?? null;
