import { eq } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { candidateFiles, candidates, taskVersions, workspaceFiles } from '../schema.ts';

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
  const { candidateId, path, blobHash, content } = candidateFiles;
  const known = await db.select({ id: candidates.id }).from(candidates).where(eq(candidates.id, input.candidateId));
  if (!known[0]) return undefined;
  const files = await db
    .select({ path, hash: blobHash, content })
    .from(candidateFiles)
    .where(eq(candidateId, input.candidateId));
  return Object.fromEntries(
    files.map((file) => {
      if (!file.content)
        throw new Error(`Expected the stored file ${file.hash} (${file.path}), found none: the database lost rows`);
      return [file.path, file.content];
    }),
  );
}

/**
 * The whole workspace of a candidate: its mutable files over the workspace of a task version, without the files that it
 * deleted. Undefined if the candidate or the version is unknown.
 */
export async function readWorkspace(
  db: Tx,
  input: { candidateId: string; taskHash: string },
): Promise<WorkspaceFile[] | undefined> {
  const mutable = await readCandidateFiles(db, input);
  const version = await db
    .select({ hash: taskVersions.hash })
    .from(taskVersions)
    .where(eq(taskVersions.hash, input.taskHash));
  if (!mutable || !version[0]) return undefined;
  const { taskHash, path, content } = workspaceFiles;
  const base = await db
    .select({ path, content, executable: workspaceFiles.executable })
    .from(workspaceFiles)
    .where(eq(taskHash, input.taskHash));
  const executable = new Set(base.filter((file) => file.executable).map((file) => file.path));
  const [candidate] = await db
    .select({ deleted: candidates.deleted })
    .from(candidates)
    .where(eq(candidates.id, input.candidateId));
  const deleted = new Set(candidate?.deleted ?? []);
  const kept = base.filter(({ path }) => !Object.hasOwn(mutable, path) && !deleted.has(path));
  const edited = Object.entries(mutable).map(([path, content]) => ({
    path,
    content,
    executable: executable.has(path),
  }));
  return [...kept, ...edited].sort((a, b) => (a.path < b.path ? -1 : 1));
}
