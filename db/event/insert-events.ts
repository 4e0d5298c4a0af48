import { sql, type SQL } from 'drizzle-orm';
import { cleanJson } from '../../domain/json/clean-text.ts';
import { type EventKind, EVENTS, type NewEvent } from '../../domain/event/kinds.ts';
import { newsOf } from '../../domain/notify/news.ts';
import type { Tx } from '../connect.ts';
import { insertNews } from '../notify/outbox.ts';

/** NOTIFY channel; the payload is the research id, or empty for a host. */
export const EVENTS_CHANNEL = 'perpetua_events';

/**
 * Inserts events in order, and notifies once for each research. A budget share that has its event is left out. Events
 * that people want to hear of get their messages, so the caller holds a transaction if there may be one.
 */
export async function insertEvents(db: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ researchId, kind, n = null, data }) => ({
    researchId,
    kind,
    level: EVENTS[kind].level,
    n,
    data: cleanJson(data),
  }));
  await db.execute(sql`
    with told as (
      insert into events (research_id, kind, level, n, data)
      select "researchId", kind, level, n, data
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row("researchId" text, kind text, level text, n int, data jsonb)
      on conflict do nothing returning research_id)
    select pg_notify(${EVENTS_CHANNEL}, coalesce(research_id, '')) from told group by research_id`);
  await insertNews(db, newsOf(events));
}

/**
 * Insert of events, as the last part of another statement. Each `rows` selects research, n and data of the events of
 * one kind. A budget share that has its event is left out.
 */
export function eventsFrom(...sources: { kind: EventKind; rows: SQL }[]): SQL {
  const selects = sources.map(
    ({ kind, rows }) => sql`select ${kind}::text, ${EVENTS[kind].level}::text, told.* from (${rows}) told`,
  );
  return sql`insert into events (kind, level, research_id, n, data) ${sql.join(selects, sql` union all `)}
    on conflict do nothing`;
}
