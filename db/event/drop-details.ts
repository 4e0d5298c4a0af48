import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { events } from '../schema.ts';

/** Days that events of level `detail` are kept; all other events stay for good. */
export const DETAIL_DAYS = 90;

const OLD = and(eq(events.level, 'detail'), sql`${events.at} < now() - make_interval(days => ${DETAIL_DAYS})`);

/** Removes old events of single trials, whose rows hold the same facts; returns the number of events. */
export async function dropDetails(db: Tx): Promise<number> {
  return (await db.delete(events).where(OLD)).rowCount ?? 0;
}

/** Number of events that {@link dropDetails} would remove. */
export const countDetails = (db: Tx): Promise<number> => db.$count(events, OLD);
