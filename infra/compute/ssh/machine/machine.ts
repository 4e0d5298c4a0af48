import { randomUUID } from 'node:crypto';
import {
  type BrokenGpu,
  type Gpu,
  type GpuUse,
  parseBrokenGpus,
  parseGpus,
  parseGpuUses,
} from '../../../../domain/fleet/gpus.ts';
import { HostUnusableError } from '../../../compute.ts';
import type { ReadPathInfo, PathInfo } from '../../run-protocol/sandbox-mounts.ts';
import { type Confinement, confinements, PROCESS_GROUP } from '../../run-protocol/confinement/confinement.ts';
import { controlEntries } from '../../run-protocol/control-files.ts';
import { foundBy, probeRun, probeUid } from '../../run-protocol/confinement/probe-run.ts';
import type { Link } from '../channel/link.ts';
import { tarOf } from '../channel/tar.ts';
import { endInFrames, uidArgument } from '../context.ts';

/** Resources and state of a host. */
export interface Machine {
  /** Id of its current boot. */
  boot: string;
  /** Model of its CPUs; absent if its kernel does not name it. */
  cpu?: string;
  cores: number;
  memoryMb: number;
  /** Free space on the disk of the scratch folder, in MiB. */
  roomMb: number;
  /** Number of files that this disk has room for; null if the disk does not count them. */
  roomFiles: number | null;
  gpus: Gpu[];
  /** GPUs that nvidia-smi reports with an error; not in `gpus`. */
  broken: BrokenGpu[];
  /** Processes on the GPUs, each with its owner. */
  uses: GpuUse[];
  /** UUIDs of the GPUs that other installations of Perpetua hold. */
  held: string[];
  /**
   * Error of nvidia-smi; null if it succeeded, or is not installed. If it could only not name processes, `gpus` is set
   * nevertheless.
   */
  gpuFault: string | null;
  /** Seconds by which its clock is ahead of this machine's. */
  clockAhead: number;
  isRoot: boolean;
}

/** Kills processes that ended runs left on GPUs, as found in that boot. The host checks each one again. */
export async function killGpuLeftovers(link: Link, { boot, uses }: Pick<Machine, 'boot' | 'uses'>): Promise<void> {
  await link.call({ verb: 'evict', words: [boot, ...uses.flatMap(({ uuid, pid, birth }) => [uuid, pid, birth])] });
}

/** Reads the resources and state of a host; throws one of the host errors. */
export async function readMachine(link: Link): Promise<Machine> {
  const { isRoot } = await link.facts();
  const frames = await link.call({ verb: 'machine' });
  const now = Date.now() / 1000;
  const textOf = (type: string): string | undefined =>
    frames
      .find((frame) => frame.type === type)
      ?.payload.toString('utf8')
      .trim();
  const count = (type: string): number => {
    const value = Number(textOf(type));
    if (textOf(type) && Number.isInteger(value) && value >= 0) return value;
    const text = JSON.stringify(textOf(type) ?? '');
    throw new HostUnusableError(link.host, `expected the host script to report ${type} as a number; got ${text}`);
  };
  const cpu = textOf('cpu')?.slice(0, 200);
  return {
    boot: textOf('boot') ?? '',
    ...(cpu && { cpu }),
    cores: count('cores'),
    memoryMb: Math.floor(count('memory') / 1024),
    roomMb: Math.floor(count('room') / 1024),
    roomFiles: textOf('files') === undefined ? null : count('files'),
    gpus: parseGpus(textOf('gpus') ?? ''),
    broken: parseBrokenGpus(textOf('gpus') ?? ''),
    uses: parseGpuUses(textOf('uses') ?? ''),
    held: frames.filter(({ type }) => type === 'held').map(({ payload }) => payload.toString('utf8')),
    gpuFault: textOf('fault') ?? null,
    clockAhead: count('clock') - now,
    isRoot,
  };
}

/** Time in ms for which an absent path is not read again: it may appear, but a launch need not read it each time. */
const ABSENT_MS = 60_000;

/** Makes a reader of facts about paths of a host. It caches existing paths forever: system folders do not move. */
export function createPathInfoReader(link: Link): ReadPathInfo {
  const seen = new Map<string, PathInfo & { until: number }>();
  return async (paths) => {
    const isKnown = (path: string): boolean => (seen.get(path)?.until ?? 0) > Date.now();
    const unknown = [...new Set(paths.filter((path) => !isKnown(path)))];
    if (unknown.length > 0) {
      const frames = await link.call({ verb: 'where', words: unknown });
      unknown.forEach((path, index) => {
        const { payload, words } = frames[index] ?? {};
        const real = payload?.toString('utf8');
        const until = real ? Infinity : Date.now() + ABSENT_MS;
        seen.set(path, { real: real || undefined, folder: words?.[0] === 'folder', until });
      });
    }
    return paths.map((path) => seen.get(path) ?? { real: undefined, folder: false });
  };
}

/** Throws HostUnusableError if one of these paths is not a folder of the host. */
export async function requireFolders(link: Link, readable: readonly string[]): Promise<void> {
  if (readable.length === 0) return;
  const frames = await link.call({ verb: 'where', words: [...readable] });
  const isFolder = (index: number): boolean => !['absent', 'file'].includes(frames[index]?.words[0] ?? '');
  const others = readable.filter((_, index) => !isFolder(index));
  if (others.length > 0)
    throw new HostUnusableError(
      link.host,
      `readable: expected the folder ${others.join(', ')}; mount or make it, or remove it from fleet.yaml`,
    );
}

/** Finds the best confinement that works on a host, by running a small command in each. */
export async function probe(link: Link, sandbox: boolean): Promise<Confinement> {
  const { isRoot } = await link.facts();
  for (const confinement of confinements(isRoot, sandbox)) {
    const found = await tryConfinement(link, confinement);
    if (found) return found;
  }
  return PROCESS_GROUP;
}

async function tryConfinement(link: Link, confinement: Confinement): Promise<Confinement | undefined> {
  const { layout } = await link.facts();
  const id = randomUUID();
  const run = probeRun(confinement, `${layout.home}/try/${id}/0`, await link.supervisor());
  const frames = await link.call({
    verb: 'try',
    words: [uidArgument(probeUid(confinement)), id],
    input: () => tarOf(controlEntries(run)),
  });
  return foundBy(endInFrames(frames), confinement);
}
