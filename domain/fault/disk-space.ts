/** What is free on a disk. */
export interface DiskSpace {
  bytes: number;
  /** Files, folders and links that it has room for; null where it does not count them. */
  files: number | null;
}

/** Below this, nothing new starts on this machine, and a run that fails is not taken for the candidate's fault. */
export const LEAST_FREE_BYTES = 512 * 1024 * 1024;

/** Fewer files that a disk has room for, and nothing new starts there. */
export const LEAST_FREE_FILES = 10_000;

/** True where a disk counts its files and has room for too few of them. */
export const isShortOfFiles = (free: number | null): boolean => free !== null && free < LEAST_FREE_FILES;

/** What runs may still write, each up to its limit, in MiB. */
export const unwrittenMb = (runs: readonly { diskMb: number; writtenMb: number }[]): number =>
  Math.ceil(runs.reduce((sum, { diskMb, writtenMb }) => sum + Math.max(0, diskMb - writtenMb), 0));
