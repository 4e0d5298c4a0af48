import { sql } from 'drizzle-orm';
import type { SlotCounts } from '../../../view/trials.ts';
import type { Tx } from '../../connect.ts';

/** How many slots a pool has and how many are taken; over all researches, since a slot serves any of them. */
export async function readSlots(db: Tx, { pool }: { pool: string }): Promise<SlotCounts> {
  const found = await db.execute<{ total: number; leased: number }>(sql`
    select count(*) filter (where state <> 'retired' and (wanted or state = 'leased'))::int as total, count(*) filter (where state = 'leased')::int as leased
    from slots where pool = ${pool}`);
  return { total: found.rows[0]?.total ?? 0, leased: found.rows[0]?.leased ?? 0 };
}
