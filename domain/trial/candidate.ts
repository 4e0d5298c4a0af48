function byPath([a]: [string, string], [b]: [string, string]): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/**
 * The text whose SHA-256 is a candidate's id. It depends only on the mutable files (path to content), in any order, and
 * on the hash of the task's immutable content.
 */
export function candidateContent(files: Record<string, string>, immutableHash: string): string {
  return JSON.stringify(['candidate/1', immutableHash, Object.entries(files).sort(byPath)]);
}
