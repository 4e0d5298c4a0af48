import type { KnownPaths } from './known-paths.ts';

/** The known file that a line `DELETE path` deletes, or null. */
export function deletedPath(line: string, known: KnownPaths): string | null {
  const name = /^\s*(?:[-*]\s+)?\**DELETE(?: FILE)?\**:?\s+(.+?)\s*$/.exec(line)?.[1];
  return name === undefined ? null : known.named(name.replace(/^[`*"']+|[`*"']+$/g, ''));
}
