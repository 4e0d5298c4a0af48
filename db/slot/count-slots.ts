import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** GPUs of a host of which we hold a slot. */
export async function findGpusLent(db: Tx, host: string): Promise<string[]> {
  const rows = await db.execute<{ gpu: string }>(
    sql`select distinct gpu from slots where host = ${host} and gpu is not null and state = 'leased'`,
  );
  return rows.rows.flatMap(({ gpu }) => gpu.split(','));
}

/**
 * GPUs that another host lends which is the same machine: one is a worker's own, the other is reached by SSH. Of two that have
 * declared the same GPU the one that is first by name keeps it.
 */
export async function findGpusElsewhere(db: Tx, host: string): Promise<string[]> {
  const rows = await db.execute<{ gpu: string }>(sql`
    with lent as (
      select slots.host, unnest(string_to_array(slots.gpu, ',')) as gpu, hosts.spec ? 'own' as own
      from slots join hosts on hosts.name = slots.host where slots.wanted and slots.gpu is not null)
    select distinct gpu from lent
    where host <> ${host} and (own or exists (select 1 from hosts where name = ${host} and spec ? 'own'))
      and not exists (select 1 from lent mine where mine.host = ${host} and mine.gpu = lent.gpu and mine.host < lent.host)`);
  return rows.rows.map(({ gpu }) => gpu);
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
