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
