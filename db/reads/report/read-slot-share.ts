import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';

interface Input {
  pool: string;
  from: Date;
  to: Date;
}

/**
 * Share of a period in which the slots of a pool had a run, 0 to 1, over all researches, since a slot serves any of
 * them; null if the pool has no slots. Runs count as far as they lie in the period. A younger slot counts from its
 * creation.
 */
export async function readSlotShare(db: Tx, { pool, from, to }: Input): Promise<number | null> {
  const [begin, end] = [sql`${from.toISOString()}::timestamptz`, sql`${to.toISOString()}::timestamptz`];
  const { rows } = await db.execute<{ share: number | null }>(sql`
    with each as (
      select
        coalesce(sum(greatest(0, extract(epoch from
          least(coalesce(runs.ended_at, ${end}), ${end}) - greatest(runs.launched_at, ${begin})))), 0) as busy,
        greatest(0, extract(epoch from ${end} - greatest(${begin},
          least(coalesce(slots.created_at, '-infinity'), min(runs.launched_at))))) as span
      from slots left join lateral (
        select launched_at, ended_at from runs
        where slot_id = slots.id and launched_at >= ${begin} and launched_at < ${end}
        -- A slot has one run at a time, so only the last one before the period may reach into it.
        union all (
          select launched_at, ended_at from runs where slot_id = slots.id and launched_at < ${begin}
          order by launched_at desc limit 1)) runs on true
      where slots.pool = ${pool} and slots.state <> 'retired' group by slots.id)
    select (sum(busy) / nullif(sum(span), 0))::float8 as share from each`);
  return rows[0]?.share ?? null;
}
