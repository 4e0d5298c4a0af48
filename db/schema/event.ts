import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { at, xid8 } from './columns.ts';

/**
 * Events: one row for each thing that a person may want to know. The row is written in the transaction that did it, and
 * never changes. Events are ordered by (xid, id): a low id may be committed late, so the transaction comes first.
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
    /** Null: about a host. No reference: a foreign key would make the writer wait for the research's lock. */
    researchId: text('research_id'),
    /** A kind of `EVENTS`, or of another version's. */
    kind: text().notNull(),
    level: text().notNull(),
    /** Number of the trial that the event is about. */
    n: integer(),
    data: jsonb().notNull(),
  },
  (t) => [
    // Serves readEvents over everything, from a cursor.
    primaryKey({ columns: [t.xid, t.id] }),
    // Serves readEvents of one research, from a cursor.
    index('events_research').on(t.researchId, t.xid, t.id),
    // Serves the phases of a research, the last ones first.
    index('events_phases')
      .on(t.researchId, t.xid, t.id)
      .where(sql`${t.kind} = 'phase'`),
    // Keeps one event for each share of a limit; a limit that was changed counts as another one.
    uniqueIndex('events_share')
      .on(t.researchId, sql`(${t.data} ->> 'limit')`, sql`(${t.data} ->> 'of')`, sql`(${t.data} ->> 'share')`)
      .where(sql`${t.kind} = 'budget-share'`),
  ],
);
