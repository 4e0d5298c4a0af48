import { sql } from 'drizzle-orm';
import type { OwnGpusView } from '../../../domain/view/fleet/own-gpus.ts';
import type { Tx } from '../../connect.ts';

/** GPUs of machines that workers run on, by machine; empty where none lends any. */
export async function readOwnGpus(db: Tx): Promise<OwnGpusView[]> {
  const { rows } = await db.execute<OwnGpusView & Record<string, unknown>>(sql`
    select hosts.name, hosts.pool, hosts.state = 'draining' as draining, hosts.note,
      case when hosts.quarantined_until is not null then hosts.last_error end as problem, hosts.seen_at is not null as seen,
      count(slots.id) filter (where slots.wanted)::int as total,
      count(slots.id) filter (where slots.state = 'leased')::int as leased
    from hosts left join slots on slots.host = hosts.name
    where hosts.spec ? 'own' and hosts.state <> 'removed' group by hosts.name order by hosts.name`);
  return rows;
}
