import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';
import { IS_RELEVANT } from '../../host/fleet.ts';

/** A host of the fleet with its current work. */
export interface FleetHostStatus extends Record<string, unknown> {
  name: string;
  pool: string;
  state: 'serving' | 'draining' | 'removed';
  /** Slots that it provides; 0 before the first probe. */
  slots: number;
  labels: string[];
  running: { trial: string; gpu: string | null; seconds: number }[];
  /** Seconds since the last successful probe; null if there was none. */
  seenSecondsAgo: number | null;
  /** Failures since a run last ended there. */
  failures: number;
  /** Seconds until the probe that may end its quarantine; null if it is not quarantined. */
  quarantineSeconds: number | null;
  note: string | null;
  lastError: string | null;
  lastErrorSecondsAgo: number | null;
}

/** Hosts of the fleet, by pool and name; also removed hosts that still have a leased slot or unfinished runs. */
export async function readFleetStatus(db: Tx): Promise<FleetHostStatus[]> {
  const found = await db.execute<FleetHostStatus>(sql`
    select hosts.name, hosts.pool, hosts.state, hosts.failures, hosts.note,
      hosts.last_error as "lastError", coalesce(hosts.spec->'labels', '[]') as labels,
      (select count(*)::int from slots where slots.host = hosts.name and slots.wanted) as slots,
      coalesce((
        select json_agg(json_build_object('trial', slots.trial_id, 'gpu', slots.gpu,
          'seconds', extract(epoch from now() - slots.leased_at)::float8) order by slots.leased_at)
        from slots where slots.host = hosts.name and slots.state = 'leased'), '[]') as running,
      extract(epoch from now() - hosts.seen_at)::float8 as "seenSecondsAgo",
      extract(epoch from now() - hosts.last_error_at)::float8 as "lastErrorSecondsAgo",
      case when hosts.quarantined_until is not null
        then greatest(0, extract(epoch from hosts.quarantined_until - now()))::float8 end as "quarantineSeconds"
    from hosts
    where ${IS_RELEVANT}
    order by hosts.pool, hosts.name`);
  return found.rows;
}
