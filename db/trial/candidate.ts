import { eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { candidates } from '../schema.ts';
import { findBlobs, loadBlobs, saveBlobs, sha256 } from '../blobs.ts';

export interface NewCandidate {
  id: string;
  immutableHash: string;
  files: Record<string, string>;
  /** Mutable files of the workspace that it deleted; absent: none. */
  deleted?: readonly string[];
  /** Hash that candidates of one program share; absent: not computed. */
  sameness?: string | null;
}

/** Row of a candidate, and the contents that the row references by hash. */
export function candidateRows({ id, immutableHash, files, deleted = [], sameness = null }: NewCandidate) {
  const entries = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => ({ path, content: Buffer.from(text) }));
  return {
    candidate: {
      id,
      immutableHash,
      sameness,
      files: Object.fromEntries(entries.map(({ path, content }) => [path, sha256(content)])),
      deleted: deleted.length === 0 ? null : [...deleted].sort(),
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

/** A candidate: its files, path to text, and the mutable files of the workspace that it lacks. */
export interface CandidateFiles {
  files: Record<string, string>;
  deleted: string[];
}

/** A candidate's mutable files; throws for an unknown id. */
export async function loadCandidate(tx: Tx, id: string): Promise<CandidateFiles> {
  const rows = await tx.select().from(candidates).where(eq(candidates.id, id));
  const row = rows[0];
  if (!row) throw new Error(`Expected a stored candidate ${id}, found none`);
  const contents = await loadBlobs(tx, Object.values(row.files));
  const files = Object.fromEntries(
    Object.entries(row.files).map(([path, hash]) => [path, (contents.get(hash) ?? Buffer.alloc(0)).toString('utf8')]),
  );
  return { files, deleted: row.deleted ?? [] };
}

/** A candidate's mutable files: path to text; throws for an unknown id. */
export const loadCandidateFiles = async (tx: Tx, id: string): Promise<Record<string, string>> =>
  (await loadCandidate(tx, id)).files;

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

/** Texts of a candidate's files, path to text; null: its content is not stored. */
export interface FoundTexts {
  texts: Record<string, string | null>;
  /** Files of the workspace that the candidate deleted. */
  deleted: string[];
}

/** Texts of the wanted files of candidates, by candidate. A candidate that is not stored is left out. */
export async function findTexts(
  db: Tx,
  { candidateIds, isWanted }: { candidateIds: readonly string[]; isWanted: (path: string) => boolean },
): Promise<Map<string, FoundTexts>> {
  if (candidateIds.length === 0) return new Map();
  const rows = await db
    .select({ id: candidates.id, files: candidates.files, deleted: candidates.deleted })
    .from(candidates)
    .where(inArray(candidates.id, [...candidateIds]));
  const found = rows.map(({ id, files, deleted }) => ({
    id,
    deleted: deleted ?? [],
    files: Object.entries(files).filter(([path]) => isWanted(path)),
  }));
  const contents = await findBlobs(
    db,
    found.flatMap(({ files }) => files.map(([, hash]) => hash)),
  );
  // One text for each content: most candidates share most of their files.
  const texts = new Map([...contents].map(([hash, content]) => [hash, content.toString('utf8')]));
  return new Map(
    found.map(({ id, files, deleted }) => [
      id,
      { texts: Object.fromEntries(files.map(([path, hash]) => [path, texts.get(hash) ?? null])), deleted },
    ]),
  );
}

/** A file that differs from a workspace in more than the text of a mutable file. */
export interface UnusualFile {
  id: string;
  path: string;
  /** True: the candidate deleted it; false: it is not among the mutable paths. */
  isDeleted: boolean;
}

/** Files of these candidates that are not among the mutable paths, and all files that they deleted. */
export async function findImmutableFiles(
  db: Tx,
  { candidateIds, mutablePaths }: { candidateIds: readonly string[]; mutablePaths: readonly string[] },
): Promise<UnusualFile[]> {
  const ids = JSON.stringify(candidateIds);
  const paths = JSON.stringify(mutablePaths);
  const found = await db.execute<UnusualFile & Record<string, unknown>>(sql`
    with among as (select * from candidates where id in (select jsonb_array_elements_text(${ids}::jsonb)))
    select id, path, false as "isDeleted" from among, jsonb_object_keys(files) path
    where path not in (select jsonb_array_elements_text(${paths}::jsonb))
    union all
    select id, path, true from among, jsonb_array_elements_text(deleted) path
    order by id, path`);
  return found.rows;
}
