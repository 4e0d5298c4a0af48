import { isShortOfFiles, LEAST_FREE_BYTES, LEAST_FREE_FILES, type DiskSpace } from '../../domain/fault/disk-space.ts';
import type { PickDeps } from '../deps.ts';

const TODO = 'make room (npx perpetua clean), it goes on by itself';

/**
 * Why this machine has too little room for runs, or for one more that may write `diskMb` beside the `othersMb` that others
 * may still write, in words; null: it has room.
 */
export async function diskFull(
  freeDisk: () => Promise<DiskSpace>,
  { diskMb = 0, othersMb = 0 } = {},
): Promise<string | null> {
  const { bytes, files } = await freeDisk();
  const mb = (of: number): number => Math.floor(of / 1024 / 1024);
  const floor = mb(LEAST_FREE_BYTES);
  if (bytes < LEAST_FREE_BYTES) return `disk: ${mb(bytes)} MiB free, at least ${floor} MiB needed; ${TODO}`;
  const needed = floor + diskMb + othersMb;
  const others = othersMb > 0 ? `, and ${othersMb} that runs under way may still write` : '';
  if (mb(bytes) < needed)
    return `disk: ${mb(bytes)} MiB free, at least ${needed} MiB needed (${floor}, and run.resources.diskMb: ${diskMb}${others}); ${TODO}`;
  if (isShortOfFiles(files))
    return `disk: room for ${files} more files (inodes), at least ${LEAST_FREE_FILES} needed; ${TODO}`;
  return null;
}

/** Why the disk of a host is full, in words; null: it has room. */
export const hostFull = (
  deps: PickDeps<'hosts', 'isOwnHost' | 'shortageOf'> & PickDeps<'machine', 'freeDisk'>,
  host: string,
): Promise<string | null> =>
  deps.hosts.isOwnHost(host) ? diskFull(deps.machine.freeDisk) : deps.hosts.shortageOf(host, null);
