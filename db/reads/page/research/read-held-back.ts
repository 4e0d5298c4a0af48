import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

/** Seconds for which a transaction that is open has held the newest events back; 0 where none does. */
export async function readHeldBack(db: Tx, now: Date): Promise<number> {
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from ${now.toISOString()}::timestamptz - min(at))::float8 as seconds
    from events where xid >= pg_snapshot_xmin(pg_current_snapshot())`);
  return Math.max(0, rows[0]?.seconds ?? 0);
}
