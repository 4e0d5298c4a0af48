import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

export interface ChangedFile {
  role: 'workspace' | 'evaluator' | 'environment';
  path: string;
}

/** Files that differ between two stored tasks, or that only one of them has, by path. */
export async function findChangedFiles(db: Tx, { before, after }: { before: string; after: string }) {
  const filesOf = (hash: string) =>
    sql`(select role, path, blob_hash, executable from task_files where task_hash = ${hash})`;
  const found = await db.execute<ChangedFile & Record<string, unknown>>(sql`
    select role, path from ${filesOf(before)} b full join ${filesOf(after)} a using (role, path)
    where b.blob_hash is distinct from a.blob_hash or b.executable is distinct from a.executable
    order by path`);
  return found.rows.map(({ role, path }): ChangedFile => ({ role, path }));
}
