import { isShortOfFiles, LEAST_FREE_BYTES, LEAST_FREE_FILES, type DiskSpace } from '../../domain/fault/disk-space.ts';
import type { PickDeps } from '../deps.ts';

const TODO = 'make room (npx perpetua clean); the wait then ends by itself';

/**
 * Reason why this machine's disk cannot take a run, in words; null if it can. The run may write `diskMb` MiB, and runs
 * under way may still write `othersMb` MiB.
 */
export async function diskFull(
  freeDisk: () => Promise<DiskSpace>,
  { diskMb = 0, othersMb = 0 } = {},
): Promise<string | null> {
  const { bytes, files } = await freeDisk();
  const mb = (size: number): number => Math.floor(size / 1024 / 1024);
  const floor = mb(LEAST_FREE_BYTES);
  if (bytes < LEAST_FREE_BYTES) return `disk: ${mb(bytes)} MiB free, at least ${floor} MiB needed; ${TODO}`;
  const needed = floor + diskMb + othersMb;
  const others = othersMb > 0 ? `, and ${othersMb} that runs under way may still write` : '';
  if (mb(bytes) < needed)
    return (
      `disk: ${mb(bytes)} MiB free, at least ${needed} MiB needed ` +
      `(${floor}, and run.resources.diskMb: ${diskMb}${others}); ${TODO}`
    );
  if (isShortOfFiles(files))
    return `disk: room for ${files} more files (inodes), at least ${LEAST_FREE_FILES} needed; ${TODO}`;
  return null;
}

/** Reason why a host's disk is full, in words; null if it has room. */
export const hostFull = (
  deps: PickDeps<'hosts', 'isOwnHost' | 'shortageOf'> & PickDeps<'machine', 'freeDisk'>,
  host: string,
): Promise<string | null> =>
  deps.hosts.isOwnHost(host) ? diskFull(deps.machine.freeDisk) : deps.hosts.shortageOf(host, null);
