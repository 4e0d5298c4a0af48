/** Free space on a disk. */
export interface DiskSpace {
  bytes: number;
  /** Files, folders and links that still fit; null if the disk does not count them. */
  files: number | null;
}

/** Least free space of this machine. Below it nothing new starts, and a failed run is not the candidate's fault. */
export const LEAST_FREE_BYTES = 512 * 1024 * 1024;

/** Least room for files on a disk. Below it nothing new starts there. */
export const LEAST_FREE_FILES = 10_000;

/** True if a disk counts its files and has room for too few. */
export const isShortOfFiles = (free: number | null): boolean => free !== null && free < LEAST_FREE_FILES;

/** MiB that runs may still write, each up to its limit. */
export const unwrittenMb = (runs: readonly { diskMb: number; writtenMb: number }[]): number =>
  Math.ceil(runs.reduce((sum, { diskMb, writtenMb }) => sum + Math.max(0, diskMb - writtenMb), 0));
