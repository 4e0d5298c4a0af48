import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

/** Shares of the last hour and of the last 24 hours in which there was a run, 0 to 1; null where there was none at all. */
export interface Busy {
  busyHour: number | null;
  busyDay: number | null;
}

/** By slot, and under null of all slots that are not retired: runs count as far as they lie in that time. */
export async function readBusy(db: Tx, { now }: { now: Date }): Promise<Map<string | null, Busy>> {
  const to = sql`${now.toISOString()}::timestamptz`;
  const overlap = (hours: number) => sql`sum(greatest(0, extract(epoch from
    least(coalesce(runs.ended_at, ${to}), ${to}) - greatest(runs.launched_at, ${to} - make_interval(hours => ${hours})))))
    filter (where runs.ended_at is null or runs.ended_at > ${to} - make_interval(hours => ${hours}))::float8`;
  const { rows } = await db.execute<{ id: string | null } & Busy & Record<string, unknown>>(sql`
    with counted as (select count(*)::int as slots from slots where state <> 'retired')
    select slots.id,
      ${overlap(1)} / nullif(3600 * case when grouping(slots.id) = 1 then (select slots from counted) else 1 end, 0) as "busyHour",
      ${overlap(24)} / nullif(86400 * case when grouping(slots.id) = 1 then (select slots from counted) else 1 end, 0) as "busyDay"
    from slots join runs on runs.slot_id = slots.id
    where slots.state <> 'retired' and runs.launched_at < ${to}
      and (runs.ended_at is null or runs.ended_at > ${to} - interval '24 hours')
    group by grouping sets ((slots.id), ())`);
  return new Map(rows.map(({ id, busyHour, busyDay }) => [id, { busyHour, busyDay }]));
}
