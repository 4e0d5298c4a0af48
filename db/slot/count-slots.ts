import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** GPUs of a host of which we hold a slot. */
export async function findGpusLent(db: Tx, host: string): Promise<string[]> {
  const rows = await db.execute<{ gpu: string }>(
    sql`select distinct gpu from slots where host = ${host} and gpu is not null and state = 'leased'`,
  );
  return rows.rows.flatMap(({ gpu }) => gpu.split(','));
}

/** Slots that a pool could lend now or later; a host that nobody has looked at yet, or that lends none now, counts as one. */
export async function countSlots(db: Tx, pool: string): Promise<number> {
  const rows = await db.execute<{ count: number }>(
    sql`select coalesce(sum(greatest(1, (
        select count(*) from slots where slots.host = hosts.name and slots.pool = hosts.pool and slots.wanted))), 0)::int as count
      from hosts where hosts.pool = ${pool} and hosts.state <> 'removed'`,
  );
  return rows.rows[0]?.count ?? 0;
}
