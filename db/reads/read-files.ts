import { and, eq, inArray } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { blobs, candidates, taskFiles, taskVersions } from '../schema.ts';

export interface WorkspaceFile {
  path: string;
  content: Buffer;
  executable: boolean;
}

/** A candidate's mutable files by path; undefined for an unknown candidate. */
export async function readCandidateFiles(
  db: Tx,
  input: { candidateId: string },
): Promise<Record<string, Buffer> | undefined> {
  const rows = await db.select().from(candidates).where(eq(candidates.id, input.candidateId));
  const files = rows[0]?.files;
  if (!files) return undefined;
  const wanted = [...new Set(Object.values(files))];
  const found = wanted.length > 0 ? await db.select().from(blobs).where(inArray(blobs.hash, wanted)) : [];
  const contents = new Map(found.map((blob) => [blob.hash, blob.content]));
  return Object.fromEntries(
    Object.entries(files).map(([path, hash]) => {
      const content = contents.get(hash);
      if (!content) throw new Error(`Expected the stored file ${hash} (${path}), found none: the database lost rows`);
      return [path, content];
    }),
  );
}

/** The whole workspace of a candidate: its own files over the workspace of a task version. Undefined if one is unknown. */
export async function readWorkspace(
  db: Tx,
  input: { candidateId: string; taskHash: string },
): Promise<WorkspaceFile[] | undefined> {
  const own = await readCandidateFiles(db, input);
  const version = await db
    .select({ hash: taskVersions.hash })
    .from(taskVersions)
    .where(eq(taskVersions.hash, input.taskHash));
  if (!own || !version[0]) return undefined;
  const base = await db
    .select({ path: taskFiles.path, content: blobs.content, executable: taskFiles.executable })
    .from(taskFiles)
    .innerJoin(blobs, eq(blobs.hash, taskFiles.blobHash))
    .where(and(eq(taskFiles.taskHash, input.taskHash), eq(taskFiles.role, 'workspace')));
  const executable = new Set(base.filter((file) => file.executable).map((file) => file.path));
  const kept = base.filter((file) => !(file.path in own));
  const edited = Object.entries(own).map(([path, content]) => ({ path, content, executable: executable.has(path) }));
  return [...kept, ...edited].sort((a, b) => (a.path < b.path ? -1 : 1));
}
