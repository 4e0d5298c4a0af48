import { asc, sql } from 'drizzle-orm';
import type { Db } from '../../../db/connect.ts';
import { events } from '../../../db/schema.ts';
import { EVENTS } from '../../../domain/event/kinds.ts';

/** The events of a research, or of hosts if it is null, in order. Throws for an event that its kind does not allow. */
export async function readAllEvents(db: Db, researchId: string | null) {
  const rows = await db
    .select()
    .from(events)
    .where(sql`${events.researchId} is not distinct from ${researchId}`)
    .orderBy(asc(events.xid), asc(events.id));
  return rows.map(({ kind, level, n, data, xid }) => {
    const known = EVENTS[kind as keyof typeof EVENTS];
    if (known.level !== level) throw new Error(`Expected ${kind} to be ${known.level}, got ${level}`);
    return { kind, n, data: known.data.strict().parse(data), xid };
  });
}
