function byPath([a]: [string, string], [b]: [string, string]): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/**
 * The text whose SHA-256 is a candidate's id. It depends only on the mutable files (path to content), in any order, on
 * the mutable files of the workspace that the candidate deleted, and on the hash of the task's immutable content.
 */
export function candidateContent(
  files: Record<string, string>,
  immutableHash: string,
  deleted: readonly string[] = [],
): string {
  const missing = deleted.length === 0 ? [] : [[...deleted].sort()];
  return JSON.stringify(['candidate/1', immutableHash, Object.entries(files).sort(byPath), ...missing]);
}

/** Mutable files of the workspace that a candidate lacks, sorted. */
export const deletedIn = (files: Record<string, string>, mutablePaths: readonly string[]): string[] =>
  mutablePaths.filter((path) => !Object.hasOwn(files, path)).sort();
