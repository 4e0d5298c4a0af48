import { eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { candidates } from '../schema.ts';
import { findBlobs, loadBlobs, saveBlobs, sha256 } from '../blobs.ts';

export interface NewCandidate {
  id: string;
  immutableHash: string;
  files: Record<string, string>;
  /** Hash that candidates of one program share; absent: not computed. */
  sameness?: string | null;
}

/** Row of a candidate, and the contents that the row references by hash. */
export function candidateRows({ id, immutableHash, files, sameness = null }: NewCandidate) {
  const entries = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => ({ path, content: Buffer.from(text) }));
  return {
    candidate: {
      id,
      immutableHash,
      sameness,
      files: Object.fromEntries(entries.map(({ path, content }) => [path, sha256(content)])),
    },
    contents: entries.map(({ content }) => content),
  };
}

/** Statement that stores a candidate's row; storing it twice changes nothing. */
export const insertCandidate = (tx: Tx, candidate: typeof candidates.$inferInsert) =>
  tx.insert(candidates).values(candidate).onConflictDoNothing();

/** Stores a candidate's mutable files; storing it twice changes nothing. */
export async function saveCandidate(tx: Tx, input: NewCandidate): Promise<void> {
  const { candidate, contents } = candidateRows(input);
  await saveBlobs(tx, contents);
  await insertCandidate(tx, candidate);
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

/** The mutable files of several candidates, in the order of the ids; throws for an unknown one. */
export async function loadCandidates(tx: Tx, ids: readonly string[]): Promise<Record<string, string>[]> {
  const rows = await tx
    .select()
    .from(candidates)
    .where(inArray(candidates.id, [...ids]));
  const files = new Map(rows.map((row) => [row.id, row.files]));
  const contents = await loadBlobs(
    tx,
    rows.flatMap((row) => Object.values(row.files)),
  );
  // One text for each content: most candidates share most of their files.
  const texts = new Map([...contents].map(([hash, content]) => [hash, content.toString('utf8')]));
  return ids.map((id) => {
    const hashes = files.get(id);
    if (!hashes) throw new Error(`Expected a stored candidate ${id}, found none`);
    return Object.fromEntries(Object.entries(hashes).map(([path, hash]) => [path, texts.get(hash) ?? '']));
  });
}

/**
 * Texts of some files of candidates: by candidate, path to text. A text is null if its content is not stored; a file
 * that a candidate does not have, and a candidate that is not stored, are left out.
 */
export async function findTexts(
  db: Tx,
  { candidateIds, paths }: { candidateIds: readonly string[]; paths: readonly string[] },
): Promise<Map<string, Record<string, string | null>>> {
  if (candidateIds.length === 0) return new Map();
  const rows = await db
    .select({ id: candidates.id, files: candidates.files })
    .from(candidates)
    .where(inArray(candidates.id, [...candidateIds]));
  const found = rows.map(({ id, files }) => ({
    id,
    files: Object.entries(files).filter(([path]) => paths.includes(path)),
  }));
  const contents = await findBlobs(
    db,
    found.flatMap(({ files }) => files.map(([, hash]) => hash)),
  );
  // One text for each content: most candidates share most of their files.
  const texts = new Map([...contents].map(([hash, content]) => [hash, content.toString('utf8')]));
  return new Map(
    found.map(({ id, files }) => [
      id,
      Object.fromEntries(files.map(([path, hash]) => [path, texts.get(hash) ?? null])),
    ]),
  );
}

/** Files of these candidates that are not among the mutable paths. */
export async function findImmutableFiles(
  db: Tx,
  { candidateIds, mutablePaths }: { candidateIds: readonly string[]; mutablePaths: readonly string[] },
): Promise<{ id: string; path: string }[]> {
  const ids = JSON.stringify(candidateIds);
  const paths = JSON.stringify(mutablePaths);
  const found = await db.execute<{ id: string; path: string }>(sql`
    select id, path from candidates, jsonb_object_keys(files) path
    where id in (select jsonb_array_elements_text(${ids}::jsonb))
      and path not in (select jsonb_array_elements_text(${paths}::jsonb))
    order by id, path`);
  return found.rows;
}
