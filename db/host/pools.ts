import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Pools of all hosts that were ever applied. A database that is not migrated yet may know of no hosts: it has none. */
export async function findPools(db: Tx): Promise<string[]> {
  const { rows } = await db.execute(sql`select 1 where to_regclass('hosts') is not null`);
  if (rows.length === 0) return [];
  const found = await db.execute<{ pool: string }>(sql`select distinct pool from hosts order by pool`);
  return found.rows.map(({ pool }) => pool);
}
