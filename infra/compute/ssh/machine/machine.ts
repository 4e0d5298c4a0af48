import { randomUUID } from 'node:crypto';
import { type Gpu, type GpuUse, parseGpus, parseGpuUses } from '../../../../domain/fleet/gpus.ts';
import { HostUnusableError } from '../../../compute.ts';
import type { ReadPathInfo, PathInfo } from '../../run-protocol/sandbox-mounts.ts';
import { type Confinement, confinements, PROCESS_GROUP } from '../../run-protocol/confinement.ts';
import { controlEntries } from '../../run-protocol/control-files.ts';
import { foundBy, probeRun, probeUid } from '../../run-protocol/probe-run.ts';
import type { Link } from '../channel/link.ts';
import { tarOf } from '../channel/tar.ts';
import { endInFrames, uidArgument } from '../context.ts';

/** What a host has. */
export interface Machine {
  /** Which boot of it this is. */
  boot: string;
  cores: number;
  memoryMb: number;
  /** Free on the disk of the scratch folder. */
  roomMb: number;
  /** Files that this disk has room for; null where it does not count them. */
  roomFiles: number | null;
  gpus: Gpu[];
  /** Processes on them, each with whose it is. */
  uses: GpuUse[];
  /** UUIDs of those that other installations of Perpetua hold. */
  held: string[];
  /** What nvidia-smi said where it failed, beside GPUs to name their processes; null where it did not, or is not there. */
  gpuFault: string | null;
  /** Seconds by which its clock is ahead of ours. */
  clockAhead: number;
  isRoot: boolean;
}

/** Ends processes that runs which are over left on GPUs, as they were found in that boot; the host judges each anew. */
export async function killGpuLeftovers(link: Link, { boot, uses }: Pick<Machine, 'boot' | 'uses'>): Promise<void> {
  await link.call({ verb: 'evict', words: [boot, ...uses.flatMap(({ uuid, pid, birth }) => [uuid, pid, birth])] });
}

/** Asks a host what it has; throws one of the host errors. */
export async function readMachine(link: Link): Promise<Machine> {
  const { isRoot } = await link.facts();
  const frames = await link.call({ verb: 'machine' });
  const now = Date.now() / 1000;
  const said = (type: string): string | undefined =>
    frames
      .find((frame) => frame.type === type)
      ?.payload.toString('utf8')
      .trim();
  const count = (type: string): number => {
    const value = Number(said(type));
    if (said(type) && Number.isInteger(value) && value >= 0) return value;
    throw new HostUnusableError(link.host, `expected to hear of its ${type}; got ${JSON.stringify(said(type) ?? '')}`);
  };
  return {
    boot: said('boot') ?? '',
    cores: count('cores'),
    memoryMb: Math.floor(count('memory') / 1024),
    roomMb: Math.floor(count('room') / 1024),
    roomFiles: said('files') === undefined ? null : count('files'),
    gpus: parseGpus(said('gpus') ?? ''),
    uses: parseGpuUses(said('uses') ?? ''),
    held: frames.filter(({ type }) => type === 'held').map(({ payload }) => payload.toString('utf8')),
    gpuFault: said('fault') ?? null,
    clockAhead: count('clock') - now,
    isRoot,
  };
}

/** What is not there may come, but a launch need not ask each time. */
const ABSENT_MS = 60_000;

/** Looks at paths of a host; what was seen is kept, since system folders do not move. */
export function createPathInfoReader(link: Link): ReadPathInfo {
  const seen = new Map<string, PathInfo & { until: number }>();
  return async (paths) => {
    const isKnown = (path: string): boolean => (seen.get(path)?.until ?? 0) > Date.now();
    const asked = [...new Set(paths.filter((path) => !isKnown(path)))];
    if (asked.length > 0) {
      const frames = await link.call({ verb: 'where', words: asked });
      asked.forEach((path, index) => {
        const { payload, words } = frames[index] ?? {};
        const real = payload?.toString('utf8');
        const until = real ? Infinity : Date.now() + ABSENT_MS;
        seen.set(path, { real: real || undefined, folder: words?.[0] === 'folder', until });
      });
    }
    return paths.map((path) => seen.get(path) ?? { real: undefined, folder: false });
  };
}

/** Throws where one of these is no folder of the host. */
export async function requireFolders(link: Link, readable: readonly string[]): Promise<void> {
  if (readable.length === 0) return;
  const frames = await link.call({ verb: 'where', words: [...readable] });
  const isFolder = (index: number): boolean => !['absent', 'file'].includes(frames[index]?.words[0] ?? '');
  const others = readable.filter((_, index) => !isFolder(index));
  if (others.length > 0)
    throw new HostUnusableError(
      link.host,
      `readable: expected the folder ${others.join(', ')}; mount or make it, or take it out of the fleet.yaml`,
    );
}

/** Finds the best confinement that really works on a host, by running a small command in each. */
export async function probe(link: Link, sandbox: boolean): Promise<Confinement> {
  const { isRoot } = await link.facts();
  for (const confinement of confinements(isRoot, sandbox)) {
    const found = await tryOut(link, confinement);
    if (found) return found;
  }
  return PROCESS_GROUP;
}

async function tryOut(link: Link, confinement: Confinement): Promise<Confinement | undefined> {
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
