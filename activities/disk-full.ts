import { lacksFiles, LEAST_FREE_FILES, type Room } from '../domain/room.ts';

/** Below this, nothing new starts on this machine, and a run that fails is not taken for the candidate's fault. */
const DISK_FLOOR_BYTES = 512 * 1024 * 1024;

const TODO = 'make room (npx perpetua clean), it goes on by itself';

/** Why this machine has too little room for runs, in words; null where it has enough. */
export async function diskFull(freeDisk: () => Promise<Room>): Promise<string | null> {
  const { bytes, files } = await freeDisk();
  const mb = (of: number): number => Math.floor(of / 1024 / 1024);
  if (bytes < DISK_FLOOR_BYTES)
    return `disk: ${mb(bytes)} MiB free, at least ${mb(DISK_FLOOR_BYTES)} MiB needed; ${TODO}`;
  if (lacksFiles(files))
    return `disk: room for ${files} more files (inodes), at least ${LEAST_FREE_FILES} needed; ${TODO}`;
  return null;
}
