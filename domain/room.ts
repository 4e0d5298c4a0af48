/** What is free on a disk. */
export interface Room {
  bytes: number;
  /** Files, folders and links that it has room for; null where it does not count them. */
  files: number | null;
}

/** Fewer files that a disk has room for, and nothing new starts there. */
export const LEAST_FREE_FILES = 10_000;

/** True where a disk counts its files and has room for too few of them. */
export const lacksFiles = (free: number | null): boolean => free !== null && free < LEAST_FREE_FILES;
