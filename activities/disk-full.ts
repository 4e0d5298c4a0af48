import { lacksFiles, LEAST_FREE_FILES, type Room } from '../domain/room.ts';

/** Below this, nothing new starts on this machine, and a run that fails is not taken for the candidate's fault. */
const DISK_FLOOR_BYTES = 512 * 1024 * 1024;

const TODO = 'make room (npx perpetua clean), it goes on by itself';

/** Why this machine has too little room for runs, or for one more that may take so much of it, in words; null where it has enough. */
export async function diskFull(freeDisk: () => Promise<Room>, { diskMb = 0 } = {}): Promise<string | null> {
  const { bytes, files } = await freeDisk();
  const mb = (of: number): number => Math.floor(of / 1024 / 1024);
  const floor = mb(DISK_FLOOR_BYTES);
  if (bytes < DISK_FLOOR_BYTES) return `disk: ${mb(bytes)} MiB free, at least ${floor} MiB needed; ${TODO}`;
  if (mb(bytes) < floor + diskMb)
    return `disk: ${mb(bytes)} MiB free, at least ${floor + diskMb} MiB needed (${floor}, and run.resources.diskMb: ${diskMb}); ${TODO}`;
  if (lacksFiles(files))
    return `disk: room for ${files} more files (inodes), at least ${LEAST_FREE_FILES} needed; ${TODO}`;
  return null;
}
