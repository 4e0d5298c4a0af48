import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { DeliveryKind, MessageBody, MessageKind } from '../../domain/notify/message.ts';
import type { Sink } from '../../domain/notify/sink.ts';
import { at } from './columns.ts';

/** Sinks of the notify.yaml applied last. They name the places of their secrets, and contain none. */
export const sinks = pgTable('sinks', {
  name: text().primaryKey(),
  spec: jsonb().$type<Sink>().notNull(),
  appliedAt: at('applied_at').notNull().defaultNow(),
  /** Time at which its last daily report was due; null: none yet. */
  digestAt: at('digest_at'),
});

const sinkName = () =>
  text()
    .notNull()
    .references(() => sinks.name, { onDelete: 'cascade' });

/**
 * Deliveries: what a sink gets as one. A delivery has one or more messages, which never change, so that each attempt
 * sends the same under the same id.
 */
export const messageDeliveries = pgTable(
  'message_deliveries',
  {
    id: text()
      .primaryKey()
      .default(sql`gen_random_uuid()`),
    sink: sinkName(),
    kind: text().$type<DeliveryKind>().notNull(),
    createdAt: at('created_at').notNull(),
    /** Time of the next attempt. */
    nextAt: at('next_at').notNull(),
    attempts: integer().notNull().default(0),
    /** Failure of the last attempt in words, without secrets. */
    lastError: text('last_error'),
    deliveredAt: at('delivered_at'),
  },
  (t) => [
    index('message_deliveries_open')
      .on(t.sink, t.createdAt)
      .where(sql`${t.deliveredAt} is null`),
    index('message_deliveries_sink').on(t.sink, t.createdAt),
  ],
);

/** The outbox: a row for each message and sink, written in the transaction of what it is about. */
export const messages = pgTable(
  'messages',
  {
    id: text()
      .primaryKey()
      .default(sql`gen_random_uuid()`),
    sink: sinkName(),
    kind: text().$type<MessageKind>().notNull(),
    /** Null: about a host, or about all researches. */
    researchId: text('research_id'),
    /** Id of the entry of "needs you" that it is about. */
    entry: text(),
    body: jsonb().$type<MessageBody>().notNull(),
    createdAt: at('created_at')
      .notNull()
      .default(sql`clock_timestamp()`),
    dueAt: at('due_at').notNull(),
    /** True if it was due while the sink had its limit of the hour. */
    held: boolean().notNull().default(false),
    delivery: text().references(() => messageDeliveries.id, { onDelete: 'cascade' }),
  },
  (t) => [
    index('messages_waiting')
      .on(t.sink, t.createdAt)
      .where(sql`${t.delivery} is null`),
    index('messages_delivery').on(t.delivery),
    index('messages_research').on(t.researchId),
    index('messages_entry')
      .on(t.entry)
      .where(sql`${t.entry} is not null`),
  ],
);
