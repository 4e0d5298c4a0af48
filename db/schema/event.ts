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

/** Occurrences of conditions that need a person: one row from the beginning of an entry to its end. */
export const attentionEntries = pgTable(
  'attention_entries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Rule and cause, such as `endpoint:api.openai.com`. */
    key: text().notNull(),
    /** Nature of the cause: another one is another occurrence. */
    fingerprint: text().notNull(),
    /** Ids of the affected researches; empty for a host. */
    researches: text().array().notNull(),
    level: text().$type<'notice' | 'warning'>().notNull(),
    title: text().notNull(),
    why: text(),
    commands: text().array().notNull(),
    /** True beginning of the condition if that is known, else the time at which it was first recorded. */
    beganAt: at('began_at').notNull(),
    /** End of the condition; null while it lasts. */
    endedAt: at('ended_at'),
    /** Time at which a person put the entry away for everybody; null: it is shown. */
    dismissedAt: at('dismissed_at'),
  },
  (t) => [
    // Keeps one open row for each key, also if two processes record at once.
    uniqueIndex('attention_open')
      .on(t.key)
      .where(sql`${t.endedAt} is null`),
    // Serves the removal of old rows.
    index('attention_ended')
      .on(t.endedAt)
      .where(sql`${t.endedAt} is not null`),
  ],
);
