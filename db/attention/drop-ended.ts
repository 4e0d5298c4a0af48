import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { DETAIL_DAYS } from '../event/drop-details.ts';
import { attentionEntries } from '../schema.ts';

const OLD = sql`${attentionEntries.endedAt} < now() - make_interval(days => ${DETAIL_DAYS})`;

/** Removes entries that ended long ago; their events stay. Returns the number of entries. */
export async function dropEndedAttention(db: Tx): Promise<number> {
  return (await db.delete(attentionEntries).where(OLD)).rowCount ?? 0;
}

/** Number of entries that {@link dropEndedAttention} would remove. */
export const countEndedAttention = (db: Tx): Promise<number> => db.$count(attentionEntries, OLD);
