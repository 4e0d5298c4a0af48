import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Files of these candidates that are none of those which may be changed. */
export async function findFixed(
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
