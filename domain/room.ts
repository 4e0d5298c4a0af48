/** What is free on a disk. */
export interface Room {
  bytes: number;
  /** Files, folders and links that it has room for; null where it does not count them. */
  files: number | null;
}

/** Below this, nothing new starts on this machine, and a run that fails is not taken for the candidate's fault. */
export const LEAST_FREE_BYTES = 512 * 1024 * 1024;

/** Fewer files that a disk has room for, and nothing new starts there. */
export const LEAST_FREE_FILES = 10_000;

/** True where a disk counts its files and has room for too few of them. */
export const lacksFiles = (free: number | null): boolean => free !== null && free < LEAST_FREE_FILES;

/** What runs may still write, each as much as it may and has not, in MiB. */
export const unwrittenMb = (runs: readonly { diskMb: number; ownMb: number }[]): number =>
  Math.ceil(runs.reduce((sum, { diskMb, ownMb }) => sum + Math.max(0, diskMb - ownMb), 0));

/** Room that is kept in a file, in MiB: made where more than so much is free, given up where less than so much is. */
export const BALLAST = { sizeMb: 256, makeAboveMb: 4096, giveUpBelowMb: 64 } as const;

/** What to do with that file. */
export function ballastMove({ freeMb, isThere }: { freeMb: number; isThere: boolean }): 'make' | 'give up' | null {
  if (isThere) return freeMb < BALLAST.giveUpBelowMb ? 'give up' : null;
  return freeMb > BALLAST.makeAboveMb ? 'make' : null;
}
