import type { FleetHost, FleetPool } from './fleet.ts';
import {
  type BrokenGpu,
  chooseGpus,
  describeBroken,
  type FailedRun,
  type Gpu,
  type GpuUse,
  type Hindrance,
  hindranceOn,
  sharedGpuWithRun,
  withoutBroken,
} from './gpus.ts';
import { slotsInMemory } from './memory.ts';
import { isShortOfFiles, LEAST_FREE_FILES } from '../fault/disk-space.ts';
import { type FleetSlot, type HostFacts, slotsOf } from './slots.ts';

/** Free room below which a host runs nothing: a failure for want of room is not the candidate's fault. */
const LEAST_ROOM_MB = 256;
const IN_USE = 'in use by others: ';

/** Findings of a probe of a host. */
export interface HostProbe extends HostFacts {
  /** Free on the disk of the scratch folder, in MiB. */
  roomMb: number;
  /** Files that this disk has room for; null if it does not count them. */
  roomFiles: number | null;
  /** Processes on the host's GPUs, each with its owner. */
  uses: readonly GpuUse[];
  /** UUIDs of GPUs that other installations hold. */
  held: readonly string[];
  /** UUIDs of GPUs that another host of the fleet lends, which is the same machine; absent: none. */
  elsewhere?: readonly string[];
  /** GPUs that nvidia-smi reports with an error; absent: none. */
  broken?: readonly BrokenGpu[];
  /** Error of nvidia-smi. If GPUs were found nevertheless, it could not list their processes: `uses` is unknown. */
  gpuFault: string | null;
}

/** The slots that a host can lend now, with a note for people. */
export interface Lendable {
  slots: FleetSlot[];
  /** Reason why the host can lend nothing, now or until it is repaired; null if it lends. */
  problem: string | null;
  note: string | null;
}

/**
 * Lists the slots that a host can lend. Leaves out GPUs that are gone or in use by others. Leaves out GPUs in use by
 * runs of ours, too, if the runs were not given them or are over. `ownGpus` are GPUs of slots that we hold.
 */
export function lendableSlots(
  { pool, host, ownGpus }: { pool: FleetPool; host: FleetHost; ownGpus: readonly string[] },
  probe: HostProbe,
): Lendable {
  const all = slotsOf(pool, host, probe);
  const { gpus, missing: absent } = chooseGpus(probe.gpus, host.gpus, probe.gpusSeen);
  const { broken: brokenGpus = [] } = probe;
  const missing = withoutBroken(absent, brokenGpus);
  const broken = describeBroken(brokenGpus);
  const gpuFault = oneLine(probe.gpuFault);
  const room = roomProblem(probe);
  if (room !== null) return { slots: [], problem: room, note: null };
  if (pool.slots === 'host' && (missing.length > 0 || gpuFault !== null || broken !== null))
    return {
      slots: [],
      problem:
        gpuFault ?? broken ?? `expected the GPUs ${missing.join(', ')}, found none with these ids${removedHint(host)}`,
      note: null,
    };
  if (all.length === 0)
    return {
      slots: [],
      problem: gpuFault ?? (pool.slots === 'gpu' ? broken : null) ?? whyNone(pool, host, probe),
      note: null,
    };
  if (pool.slots === 'gpu' && gpuFault !== null)
    return { slots: [], problem: `the processes on its GPUs are unknown: ${gpuFault}`, note: null };
  const hindrance = ({ uuid }: Gpu): Hindrance | null =>
    probe.held.includes(uuid)
      ? 'others'
      : hindranceOn(
          probe.uses.filter((use) => use.uuid === uuid),
          ownGpus.includes(uuid),
        );
  const isElsewhere = ({ uuid }: Gpu): boolean => probe.elsewhere?.includes(uuid) === true;
  const taken = gpus.filter((gpu) => isElsewhere(gpu) || hindrance(gpu) !== null);
  const isTaken = ({ gpu }: FleetSlot): boolean => taken.some(({ uuid }) => gpu?.split(',').includes(uuid));
  const hinderedBy = (why: Hindrance): string =>
    gpus.flatMap((gpu) => (!isElsewhere(gpu) && hindrance(gpu) === why ? [`GPU ${gpu.index}`] : [])).join(', ');
  const [others, own] = [hinderedBy('others'), hinderedBy('own')];
  const twins = gpus.filter(isElsewhere).map(({ index }) => `GPU ${index}`);
  const notes: string[] = [];
  if (gpuFault !== null) notes.push(gpuFault);
  if (broken !== null) notes.push(broken);
  if (missing.length > 0) notes.push(`the GPUs ${missing.join(', ')} are missing${removedHint(host)}`);
  if (twins.length > 0) notes.push(`another host of the fleet is the same machine and lends ${twins.join(', ')}`);
  if (others !== '') notes.push(IN_USE + others);
  if (own !== '') notes.push(`in use by our own runs that do not hold it or have ended: ${own}`);
  return { slots: all.filter((slot) => !isTaken(slot)), problem: null, note: notes.join('; ') || null };
}

/** Hint for missing GPUs that the fleet does not name: somebody may have removed them. */
const removedHint = ({ gpus }: FleetHost): string =>
  gpus === 'auto' ? ' (if you removed them, run npx perpetua fleet apply)' : '';

function roomProblem({ roomMb, roomFiles }: Pick<HostProbe, 'roomMb' | 'roomFiles'>): string | null {
  if (roomMb < LEAST_ROOM_MB)
    return `expected at least ${LEAST_ROOM_MB} MiB of room for runs, found ${roomMb}; free some, or set scratch`;
  if (isShortOfFiles(roomFiles))
    return (
      `expected room for at least ${LEAST_FREE_FILES} files of runs (inodes), found ${roomFiles}; ` +
      'free some, or set scratch'
    );
  return null;
}

/** Reason why a host gives no slot of its pool. */
export function whyNone(pool: FleetPool, host: FleetHost, facts: HostFacts): string {
  if (pool.slots === 'cpu' && slotsInMemory(pool, facts) < 1)
    return `expected ${pool.memoryMb} MiB of memory for a slot, found ${facts.memoryMb}`;
  if (pool.slots === 'cpu') return `expected ${pool.cores ?? 1} cores, found ${facts.cores}`;
  if (facts.gpus.length === 0) return 'expected a GPU; nvidia-smi names none, or is not on the PATH of its logins';
  const wanted = Array.isArray(host.gpus) ? host.gpus.join(', ') : host.gpus;
  const found = facts.gpus.map(({ index, uuid }) => `${index} (${uuid})`).join(', ');
  return `expected the GPUs ${wanted}; nvidia-smi names ${found}`;
}

/**
 * Shortage of a host for a run: a GPU that is gone, too little room, or others on its GPUs; null if there is none, or
 * without a probe. Without a run only room counts. Another installation's lock is no evidence: it locks a GPU only
 * after the run is over.
 */
export function shortageIn(
  probe: Pick<HostProbe, 'gpus' | 'uses' | 'gpuFault' | 'roomMb' | 'roomFiles'> | undefined,
  run: FailedRun | null,
): string | null {
  if (!probe) return null;
  const wanted = run?.gpu?.split(',') ?? [];
  const gone = wanted.filter((gpu) => !probe.gpus.some(({ uuid }) => uuid === gpu));
  if (gone.length > 0) return oneLine(probe.gpuFault) ?? `the GPU ${gone.join(', ')} is gone`;
  return roomProblem(probe) ?? (run && othersOn(probe, run));
}

function othersOn({ gpus, uses }: Pick<HostProbe, 'gpus' | 'uses'>, run: FailedRun): string | null {
  const isShared = ({ uuid }: Gpu): boolean =>
    run.gpu?.split(',').includes(uuid) === true && uses.some((use) => use.uuid === uuid && sharedGpuWithRun(use, run));
  const shared = gpus.filter(isShared).map(({ index }) => `GPU ${index}`);
  return shared.length > 0 ? IN_USE + shared.join(', ') : null;
}

/** Text of a shortage by GPUs in use by others, which {@link isInUse} recognises. */
export const inUse = (gpus: string): string => IN_USE + gpus;

/** True if a shortage is only a GPU in use by others: then only its slot is not lent. */
export const isInUse = (shortage: string): boolean => shortage.startsWith(IN_USE);

const oneLine = (text: string | null): string | null => text?.replace(/\s+/g, ' ').trim() ?? null;
