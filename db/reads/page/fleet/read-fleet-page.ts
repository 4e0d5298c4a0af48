import { sql } from 'drizzle-orm';
import { AGENT_POOL } from '../../../../domain/agent/agent-pool.ts';
import type { Tx } from '../../../connect.ts';
import { readTogether } from '../../../read-together.ts';
import { isoOrNull } from '../iso.ts';
import { readHosts, type HostPage } from './read-hosts.ts';
import { readPools, type PoolPage } from './read-pools.ts';

/**
 * Shares of the last hour and of the last 24 hours with a run, 0 to 1; null if the slots existed for no part of them. A
 * younger slot is measured from its creation.
 */
interface Busy {
  busyHour: number | null;
  busyDay: number | null;
}

/**
 * Shares by slot, and under null of all slots that are not retired, without the places of agents. Runs count as far as
 * they lie in the period.
 */
async function readBusy(db: Tx, { now }: { now: Date }): Promise<Map<string | null, Busy>> {
  const to = sql`${now.toISOString()}::timestamptz`;
  const from = (hours: number) => sql`${to} - make_interval(hours => ${hours})`;
  const busy = (hours: number) => sql`sum(greatest(0, extract(epoch from
    least(coalesce(runs.ended_at, ${to}), ${to}) - greatest(runs.launched_at, ${from(hours)}))))
    filter (where runs.launched_at is not null and (runs.ended_at is null or runs.ended_at > ${from(hours)}))::float8`;
  // A slot existed when a run began on it, even if its creation is dated later.
  const since = sql`least(coalesce(slots.created_at, '-infinity'), min(runs.launched_at))`;
  const span = (hours: number) =>
    sql`greatest(0, extract(epoch from ${to} - greatest(${since}, ${from(hours)})))::float8`;
  const { rows } = await db.execute<{ id: string | null } & Busy & Record<string, unknown>>(sql`
    with each as (
      select slots.id, slots.pool <> ${AGENT_POOL} as is_slot,
        ${busy(1)} as hour, ${span(1)} as hour_span, ${busy(24)} as day, ${span(24)} as day_span
      from slots left join runs on runs.slot_id = slots.id and runs.launched_at < ${to}
        and (runs.ended_at is null or runs.ended_at > ${from(24)})
      where slots.state <> 'retired' group by slots.id)
    select id, hour / nullif(hour_span, 0) as "busyHour", day / nullif(day_span, 0) as "busyDay" from each
    union all select null, sum(hour) / nullif(sum(hour_span), 0), sum(day) / nullif(sum(day_span), 0)
    from each where is_slot`);
  return new Map(rows.map(({ id, busyHour, busyDay }) => [id, { busyHour, busyDay }]));
}

/** A slot with its current use. */
export interface SlotPage extends Busy {
  id: string;
  pool: string;
  host: string;
  gpu: string | null;
  state: 'free' | 'offered' | 'leased' | 'retired';
  trialId: string | null;
  /** Start of the lease, or of the time without one. */
  since: string | null;
}

export interface FleetPage extends Busy {
  hosts: HostPage[];
  slots: SlotPage[];
  pools: PoolPage[];
  now: string;
}

const NEVER: Busy = { busyHour: null, busyDay: null };

/** Current hosts, slots and pools, and how busy they were. */
export async function readFleetPage(db: Tx, { now }: { now: Date }): Promise<FleetPage> {
  const { busy, hosts, slots, pools } = await readTogether(db, {
    busy: () => readBusy(db, { now }),
    hosts: () => readHosts(db),
    slots: () => readSlots(db),
    pools: () => readPools(db, { now }),
  });
  return {
    hosts,
    slots: slots.map((slot) => ({ ...slot, since: isoOrNull(slot.since), ...(busy.get(slot.id) ?? NEVER) })),
    pools,
    ...(busy.get(null) ?? NEVER),
    now: now.toISOString(),
  };
}

async function readSlots(db: Tx) {
  const { rows } = await db.execute<Omit<SlotPage, keyof Busy> & Record<string, unknown>>(sql`
    select id, pool, host, gpu, state, case when state = 'leased' then trial_id end as "trialId",
      case when state = 'leased' then leased_at else free_since end as since
    from slots where state <> 'retired' order by pool, host, index, id`);
  return rows;
}
