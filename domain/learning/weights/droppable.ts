import { LEAST_FREE_BYTES } from '../../fault/disk-space.ts';

/** A version whose weights still exist. */
export interface KeptVersion {
  k: number;
  /** True: a person has named this version, so its weights stay. */
  held: boolean;
}

/** Versions whose weights can be removed: older than the newest `keep`, not held, and not in use. */
export function droppable(
  versions: readonly KeptVersion[],
  { keep, inUse }: { keep: number; inUse: readonly number[] },
): number[] {
  const newest = [...versions].sort((a, b) => b.k - a.k).slice(0, keep);
  const kept = new Set([...newest.map(({ k }) => k), ...inUse]);
  return versions.filter(({ k, held }) => !held && !kept.has(k)).map(({ k }) => k);
}

/** Multiple of a checkpoint's size: one for the new checkpoint, one for what runs and databases write meanwhile. */
const CHECKPOINT_FACTOR = 2;

/** The reason why a disk has too little space for a checkpoint of `checkpointBytes`; null if it has enough. */
export function checkpointSpaceShortage(freeBytes: number, checkpointBytes: number): string | null {
  const needed = LEAST_FREE_BYTES + CHECKPOINT_FACTOR * checkpointBytes;
  if (freeBytes >= needed) return null;
  const mb = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
  return (
    `disk: ${Math.floor(freeBytes / 2 ** 20)} MiB free, at least ${mb(needed)} MiB needed ` +
    `(${mb(LEAST_FREE_BYTES)}, and twice the ${mb(checkpointBytes)} of a checkpoint); ` +
    'make room (npx perpetua clean), or lower search.update.keep; the step then goes on by itself'
  );
}
