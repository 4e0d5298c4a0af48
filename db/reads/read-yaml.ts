import { eq } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { taskVersions } from '../schema.ts';

/** The task.yaml of a stored task version, as its author wrote it. */
export async function readYaml(db: Tx, { taskHash }: { taskHash: string }): Promise<string> {
  const [row] = await db.select({ yaml: taskVersions.yaml }).from(taskVersions).where(eq(taskVersions.hash, taskHash));
  if (!row) throw new Error(`Expected task version ${taskHash} in the database, found none`);
  return row.yaml;
}
