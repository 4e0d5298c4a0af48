import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { blobs, taskFiles } from '../schema.ts';

/** Largest source that is read, in bytes. */
const LARGEST = 256 * 1024;

export interface ListedFile {
  path: string;
  bytes: number;
  /** Text of a source of Python; null for any other file, and for a large one. */
  source: string | null;
}

/** Files of a stored task's workspace with their sizes. Only sources of Python are read. */
export async function listWorkspace(db: Tx, taskHash: string): Promise<ListedFile[]> {
  const bytes = sql<number>`octet_length(${blobs.content})`.mapWith(Number);
  const isSource = sql`${taskFiles.path} like '%.py' and octet_length(${blobs.content}) <= ${LARGEST}`;
  const content = sql<Uint8Array | null>`case when ${isSource} then ${blobs.content} end`;
  const rows = await db
    .select({ path: taskFiles.path, bytes, content })
    .from(taskFiles)
    .innerJoin(blobs, eq(blobs.hash, taskFiles.blobHash))
    .where(and(eq(taskFiles.taskHash, taskHash), eq(taskFiles.role, 'workspace')))
    .orderBy(taskFiles.path);
  return rows.map(({ path, bytes, content }) => ({
    path,
    bytes,
    source: content === null ? null : new TextDecoder().decode(content),
  }));
}
