import type { Tx } from '../../connect.ts';
import { fileDiffs } from '../../reads/diff/file-diffs.ts';
import { unifiedDiff } from '../../reads/diff/unified-diff.ts';
import { loadCandidates } from '../candidate.ts';

/** A candidate and the one that it was made from. */
export interface Pair {
  candidateId: string;
  parentId: string;
}

/** Unified diffs of candidates against their parents, in the order of the pairs; empty where both are the same. */
export async function findDiffs(db: Tx, pairs: readonly Pair[]): Promise<string[]> {
  const ids = [...new Set(pairs.flatMap(({ candidateId, parentId }) => [candidateId, parentId]))];
  if (ids.length === 0) return [];
  const loaded = await loadCandidates(db, ids);
  const files = new Map(ids.map((id, i) => [id, bytesOf(loaded[i] ?? {})]));
  return pairs.map(({ candidateId, parentId }) =>
    unifiedDiff(fileDiffs(files.get(parentId) ?? {}, files.get(candidateId) ?? {})),
  );
}

const bytesOf = (files: Record<string, string>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
