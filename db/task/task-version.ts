import { and, eq, sql } from 'drizzle-orm';
import { withOriginals } from '../../domain/knob/knob-form.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Tx } from '../connect.ts';
import { blobs, taskFiles, taskVersions, workspaceFiles } from '../schema.ts';
import { hasForms, storedTask } from '../stored-task.ts';
import { saveBlobs } from '../blobs.ts';

export interface StoredFile {
  path: string;
  content: Uint8Array;
  executable?: boolean;
}

export interface TaskVersion {
  hash: string;
  task: Task;
  yaml: string;
  prompt: string | null;
  stageHash: string;
  immutableHash: string;
  evaluatorHash: string;
  metricKey: string;
  mutablePaths: string[];
  /** True if its stage also holds the originals of the mutable files; absent: false. */
  stagesMutable?: boolean;
}

/** Stores a task under the hash of its content; storing it twice changes nothing. */
export async function saveTaskVersion(
  db: Tx,
  version: TaskVersion & { workspace: StoredFile[]; evaluatorFiles: StoredFile[]; environmentFiles?: StoredFile[] },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { workspace, evaluatorFiles, environmentFiles = [], ...row } = version;
    const inserted = await tx
      .insert(taskVersions)
      .values({ ...row, name: version.task.name })
      .onConflictDoNothing()
      .returning({ hash: taskVersions.hash });
    if (inserted.length === 0) return;
    const all = [
      ...workspace.map((file) => ({ role: 'workspace' as const, file })),
      ...evaluatorFiles.map((file) => ({ role: 'evaluator' as const, file })),
      ...environmentFiles.map((file) => ({ role: 'environment' as const, file })),
    ];
    const hashes = await saveBlobs(
      tx,
      all.map(({ file }) => file.content),
    );
    if (all.length > 0)
      await tx.insert(taskFiles).values(
        all.map(({ role, file }, index) => ({
          taskHash: version.hash,
          role,
          path: file.path,
          blobHash: hashes[index] ?? '',
          executable: file.executable ?? false,
        })),
      );
  });
}

/** True if a task version with this hash is stored. */
export async function hasTaskVersion(db: Tx, hash: string): Promise<boolean> {
  const rows = await db.select({ hash: taskVersions.hash }).from(taskVersions).where(eq(taskVersions.hash, hash));
  return rows.length > 0;
}

/** A stored task in the form of today's schema; throws for a hash that was never stored. */
export async function loadTaskVersion(db: Tx, hash: string): Promise<TaskVersion> {
  const rows = await db.select().from(taskVersions).where(eq(taskVersions.hash, hash));
  const row = rows[0];
  if (!row) throw new Error(`Expected a stored task version ${hash}, found none: the database lost rows that it needs`);
  return { ...row, task: await toStoredTask(db, row) };
}

/**
 * A stored task in the form of this version, as `storedTask` makes it. The knobs of a task that version 0.2 or an older
 * one stored get their original literals from its files.
 */
export async function toStoredTask(db: Tx, row: Pick<TaskVersion, 'hash' | 'yaml' | 'task'>): Promise<Task> {
  const task = storedTask(row);
  if (task.knobs.length === 0 || hasForms(row.task)) return task;
  return { ...task, knobs: withOriginals(task.knobs, await loadOriginalTexts(db, row.hash)) };
}

/** Pool of a stored task's runs. */
export async function findPool(db: Tx, hash: string): Promise<string> {
  const [version] = await db.select({ task: taskVersions.task }).from(taskVersions).where(eq(taskVersions.hash, hash));
  if (!version) throw new Error(`Expected task version ${hash} to be stored`);
  return version.task.run.resources.pool;
}

/** Seconds of a stored task's run budget. */
export async function findRunSeconds(db: Tx, hash: string): Promise<number> {
  const [version] = await db.select({ task: taskVersions.task }).from(taskVersions).where(eq(taskVersions.hash, hash));
  if (!version) throw new Error(`Expected task version ${hash} to be stored`);
  return version.task.run.budget.seconds;
}

/** Files of a stored task in one role. */
export async function loadTaskFiles(
  db: Tx,
  input: { taskHash: string; role: 'workspace' | 'evaluator' | 'environment' },
): Promise<StoredFile[]> {
  return db
    .select({ path: taskFiles.path, content: blobs.content, executable: taskFiles.executable })
    .from(taskFiles)
    .innerJoin(blobs, eq(blobs.hash, taskFiles.blobHash))
    .where(and(eq(taskFiles.taskHash, input.taskHash), eq(taskFiles.role, input.role)))
    .orderBy(taskFiles.path);
}

/**
 * Mutable files of a stored task, with the contents of its workspace. Reads them through the view, since the
 * dashboard's role may not read the tables of files.
 */
export async function loadOriginals(db: Tx, taskHash: string): Promise<StoredFile[]> {
  const { path, content, executable } = workspaceFiles;
  const isMutable = sql`${path} in (select jsonb_array_elements_text(${taskVersions.mutablePaths}))`;
  return db
    .select({ path, content, executable })
    .from(taskVersions)
    .innerJoin(workspaceFiles, eq(workspaceFiles.taskHash, taskVersions.hash))
    .where(and(eq(taskVersions.hash, taskHash), isMutable))
    .orderBy(path);
}

/** Texts of the mutable files of a stored task in its workspace, by path. */
export async function loadOriginalTexts(db: Tx, taskHash: string): Promise<Record<string, string>> {
  const originals = await loadOriginals(db, taskHash);
  return Object.fromEntries(originals.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}
