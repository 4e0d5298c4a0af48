import { type Gpu, type GpuUse, parseGpus, parseGpuUses } from '../../../../domain/fleet/gpus.ts';
import { HostUnusableError } from '../../../compute.ts';
import type { Link } from '../channel/link.ts';

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
export async function evict(link: Link, { boot, uses }: Pick<Machine, 'boot' | 'uses'>): Promise<void> {
  await link.ask({ verb: 'evict', words: [boot, ...uses.flatMap(({ uuid, pid, birth }) => [uuid, pid, birth])] });
}

/** Asks a host what it has; throws one of the host errors. */
export async function machineOf(link: Link): Promise<Machine> {
  const { isRoot } = await link.facts();
  const frames = await link.ask({ verb: 'machine' });
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
