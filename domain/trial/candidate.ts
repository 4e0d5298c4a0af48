const byPath = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The text whose SHA-256 is a candidate's id: its mutable files (path to content) and the task's immutable content.
 * The order of the files does not matter; nothing else of a task does either.
 */
export function candidateContent(files: Record<string, string>, immutableHash: string): string {
  return JSON.stringify(['candidate/1', immutableHash, Object.entries(files).sort(byPath)]);
}
