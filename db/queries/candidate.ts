import { eq } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { candidates } from '../schema.ts';
import { loadBlobs, saveBlobs } from './blobs.ts';

/** Stores a candidate's mutable files; storing it twice changes nothing. */
export async function saveCandidate(
  tx: Tx,
  candidate: { id: string; immutableHash: string; files: Record<string, string> },
): Promise<void> {
  const paths = Object.keys(candidate.files).sort();
  const hashes = await saveBlobs(
    tx,
    paths.map((path) => Buffer.from(candidate.files[path] ?? '')),
  );
  const files = Object.fromEntries(paths.map((path, index) => [path, hashes[index] ?? '']));
  await tx
    .insert(candidates)
    .values({ id: candidate.id, immutableHash: candidate.immutableHash, files })
    .onConflictDoNothing();
}

/** A candidate's mutable files: path to text; throws for an unknown id. */
export async function loadCandidateFiles(tx: Tx, id: string): Promise<Record<string, string>> {
  const rows = await tx.select().from(candidates).where(eq(candidates.id, id));
  const row = rows[0];
  if (!row) throw new Error(`Expected a stored candidate ${id}, found none`);
  const contents = await loadBlobs(tx, Object.values(row.files));
  return Object.fromEntries(
    Object.entries(row.files).map(([path, hash]) => [path, (contents.get(hash) ?? Buffer.alloc(0)).toString('utf8')]),
  );
}
