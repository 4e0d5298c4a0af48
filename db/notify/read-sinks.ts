import { asc, sql } from 'drizzle-orm';
import { Sink } from '../../domain/notify/sink.ts';
import type { Tx } from '../connect.ts';
import { sinks } from '../schema.ts';

/** A sink as stored. */
export interface StoredSink {
  name: string;
  /** Null if this version cannot read it. */
  spec: Sink | null;
  appliedAt: Date;
  digestAt: Date | null;
}

/** All sinks, by name. */
export async function readSinks(db: Tx): Promise<StoredSink[]> {
  const rows = await db.select().from(sinks).orderBy(asc(sinks.name));
  return rows.map((row) => ({ ...row, spec: Sink.safeParse(row.spec).data ?? null }));
}

/** State of the outbox of a sink. Times are in ISO 8601. */
export interface Outbox {
  sink: string;
  delivered: number;
  waiting: number;
  /** Creation of the oldest message that was not delivered; null: none. */
  oldestWaiting: string | null;
  lastDelivered: string | null;
  /** Last failure of a delivery that still waits. */
  lastError: string | null;
}

/** The outbox of each sink, by name. */
export async function readOutboxes(db: Tx): Promise<Outbox[]> {
  const { rows } = await db.execute<Outbox & Record<string, unknown>>(sql`
    select sinks.name as sink,
      (select count(*)::int from message_deliveries d
        where d.sink = sinks.name and delivered_at is not null) as delivered,
      open.waiting, ${iso(sql`open.oldest`)} as "oldestWaiting",
      ${iso(sql`(select max(delivered_at) from message_deliveries d where d.sink = sinks.name)`)} as "lastDelivered",
      (select last_error from message_deliveries d
        where d.sink = sinks.name and delivered_at is null and last_error is not null
        order by created_at limit 1) as "lastError"
    from sinks cross join lateral (
      select count(*)::int as waiting, min(m.created_at) as oldest from messages m
      left join message_deliveries d on d.id = m.delivery
      where m.sink = sinks.name and d.delivered_at is null) open
    order by sinks.name`);
  return rows;
}

const iso = (at: ReturnType<typeof sql>) => sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Researches that named a sink at their start, without those that have ended. */
export async function readResearchesOf(db: Tx, sink: string): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from researches where notify ? ${sink} and phase not in ('stopped', 'failed') order by id`,
  );
  return rows.map(({ id }) => id);
}
