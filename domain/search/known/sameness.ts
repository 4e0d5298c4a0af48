/** A file as it counts for sameness: the tokens of its program, or its text if it was not read as a program. */
export type ComparedFile = { tokens: readonly string[] } | { text: string };

/**
 * The text whose SHA-256 is the sameness of a candidate: equal for candidates whose mutable files (by path) have equal
 * tokens, or equal texts where they are no program. It depends on the task's immutable content, as the candidate's id
 * does.
 */
export function samenessContent(files: Readonly<Record<string, ComparedFile>>, immutableHash: string): string {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(['sameness/2', immutableHash, entries]);
}
