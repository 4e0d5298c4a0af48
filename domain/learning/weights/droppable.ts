import { LEAST_FREE_BYTES } from '../../fault/disk-space.ts';

/** A version whose weights are there. */
export interface KeptVersion {
  k: number;
  /** A person has named it. */
  held: boolean;
}

/** The versions whose weights may go: older than the newest `keep`, named by nobody and in use by nothing. */
export function droppable(
  versions: readonly KeptVersion[],
  { keep, inUse }: { keep: number; inUse: readonly number[] },
): number[] {
  const newest = [...versions].sort((a, b) => b.k - a.k).slice(0, keep);
  const stay = new Set([...newest.map(({ k }) => k), ...inUse]);
  return versions.filter(({ k, held }) => !held && !stay.has(k)).map(({ k }) => k);
}

/** The new version beside its parent's, and as much again for what runs and databases write meanwhile. */
const TIMES = 2;

/** Why a disk has too little room for a checkpoint that takes so many bytes, in words; null where it has enough. */
export function checkpointSpaceShortage(freeBytes: number, checkpointBytes: number): string | null {
  const needed = LEAST_FREE_BYTES + TIMES * checkpointBytes;
  if (freeBytes >= needed) return null;
  const mb = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
  return `disk: ${Math.floor(freeBytes / 2 ** 20)} MiB free, at least ${mb(needed)} MiB needed (${mb(LEAST_FREE_BYTES)}, and twice the ${mb(checkpointBytes)} of a checkpoint); make room (npx perpetua clean), or lower search.update.keep; the step then goes on by itself`;
}
