import type { StoredFile } from '../../db/task/task-version.ts';
import type { FileContent } from '../../infra/compute.ts';

/**
 * All mutable files of a run, which its stage lacks: a candidate's over the originals of its task, with their mode. A candidate
 * of an older version lacks what was not mutable then.
 */
export function mutableFiles(
  originals: readonly StoredFile[],
  candidate: Readonly<Record<string, string>>,
): FileContent[] {
  const own = Object.entries(candidate).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
  const kept = originals.filter(({ path }) => !Object.hasOwn(candidate, path));
  const executable = new Set(originals.filter((file) => file.executable).map(({ path }) => path));
  return [...kept, ...own].map(({ path, content }) => ({
    path,
    content,
    // Absent, not false: where setup left a file in its place, the mode is that of the file.
    ...(executable.has(path) ? { executable: true } : {}),
  }));
}
