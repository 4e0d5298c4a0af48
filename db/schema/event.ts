import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { at, xid8 } from './columns.ts';

/**
 * Events, one row for each thing that a person may want to be told, written in its transaction and never changed. Their order
 * is that of (xid, id): of transactions first, since a number that is given out early may be committed late.
 */
export const events = pgTable(
  'events',
  {
    id: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** The transaction that wrote it. */
    xid: xid8()
      .notNull()
      .default(sql`pg_current_xact_id()`),
    at: at('at')
      .notNull()
      .default(sql`clock_timestamp()`),
    /** Null: about a host. No reference: it would make whoever tells of a trial wait for its research's lock. */
    researchId: text('research_id'),
    /** One of `EVENTS`, or of those of another version. */
    kind: text().notNull(),
    level: text().notNull(),
    /** The trial that it is about. */
    n: integer(),
    data: jsonb().notNull(),
  },
  (t) => [
    // Serves readEvents over everything, from a cursor.
    primaryKey({ columns: [t.xid, t.id] }),
    // Serves readEvents of one research, from a cursor.
    index('events_research').on(t.researchId, t.xid, t.id),
    // Tells each share of a limit once; a limit that was changed is another one.
    uniqueIndex('events_share')
      .on(t.researchId, sql`(${t.data} ->> 'limit')`, sql`(${t.data} ->> 'of')`, sql`(${t.data} ->> 'share')`)
      .where(sql`${t.kind} = 'budget-share'`),
  ],
);
