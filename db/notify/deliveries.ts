import { and, asc, eq, isNull, lte, ne, sql } from 'drizzle-orm';
import type { DeliveryKind, Message, MessageBody } from '../../domain/notify/message.ts';
import { HOURLY_LIMIT, planDeliveries } from '../../domain/notify/plan.ts';
import type { Db, Tx } from '../connect.ts';
import { messageDeliveries, messages, sinks } from '../schema.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The clock of the database, which also sets the times of messages. */
export async function readClock(db: Tx): Promise<Date> {
  const { rows } = await db.execute<{ ms: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return new Date(rows[0]?.ms ?? Date.now());
}

/** Makes deliveries of the due messages of a sink. The sink's lock keeps other workers from planning at once. */
export async function planSink(db: Db, { sink, now }: { sink: string; now: Date }): Promise<void> {
  const isWaiting = and(eq(messages.sink, sink), isNull(messages.delivery));
  const [due] = await db
    .select({ id: messages.id })
    .from(messages)
    .where(and(isWaiting, lte(messages.dueAt, now)))
    .limit(1);
  if (due === undefined) return;
  await db.transaction(async (tx) => {
    const locked = await tx.select().from(sinks).where(eq(sinks.name, sink)).for('no key update');
    if (locked.length === 0) return;
    const waiting = await tx
      .select({ id: messages.id, kind: messages.kind, dueAt: messages.dueAt, held: messages.held })
      .from(messages)
      .where(isWaiting)
      .orderBy(asc(messages.createdAt), asc(messages.id));
    const recent = await countSince(tx, { sink, column: 'created', since: new Date(now.getTime() - HOUR_MS) });
    const open = await countOpen(tx, { sink, since: new Date(now.getTime() - DAY_MS) });
    const { deliveries, held } = planDeliveries({ waiting, recent: Math.max(recent, open), now });
    for (const [index, { kind, messages: ids }] of deliveries.entries()) {
      // Deliveries of one moment keep their order.
      const createdAt = new Date(now.getTime() + index);
      const [made] = await tx
        .insert(messageDeliveries)
        .values({ sink, kind, createdAt, nextAt: now })
        .returning({ id: messageDeliveries.id });
      await tx.update(messages).set({ delivery: made?.id }).where(isOneOf(ids));
    }
    if (held.length > 0) await tx.update(messages).set({ held: true }).where(isOneOf(held));
  });
}

/** Condition by one parameter: a statement has at most 65,535. */
const isOneOf = (ids: readonly string[]) => sql`${messages.id} = any(${sql.param([...ids])}::text[])`;

/**
 * Deliveries of a sink, without daily reports, that were made since then and have not arrived. They count like those of
 * the last hour: after an outage, what happens now does not wait for hours behind what happened then.
 */
const countOpen = (db: Tx, { sink, since }: { sink: string; since: Date }): Promise<number> =>
  db.$count(
    messageDeliveries,
    and(
      eq(messageDeliveries.sink, sink),
      ne(messageDeliveries.kind, 'digest'),
      isNull(messageDeliveries.deliveredAt),
      sql`${messageDeliveries.createdAt} > ${since.toISOString()}`,
    ),
  );

/** Deliveries of a sink, without daily reports, that were made or delivered since then. */
function countSince(
  db: Tx,
  { sink, column, since }: { sink: string; column: 'created' | 'delivered'; since: Date },
): Promise<number> {
  const time = column === 'created' ? messageDeliveries.createdAt : messageDeliveries.deliveredAt;
  return db.$count(
    messageDeliveries,
    and(eq(messageDeliveries.sink, sink), ne(messageDeliveries.kind, 'digest'), sql`${time} > ${since.toISOString()}`),
  );
}

/** A delivery with its messages, the oldest first. */
export interface Delivery {
  id: string;
  kind: DeliveryKind;
  createdAt: Date;
  attempts: number;
  messages: Message[];
}

/**
 * The next delivery of a sink whose attempt is due; null if there is none, or if the sink has got as many in the last
 * hour as it may get.
 */
export async function nextDelivery(db: Tx, { sink, now }: { sink: string; now: Date }): Promise<Delivery | null> {
  const got = await countSince(db, { sink, column: 'delivered', since: new Date(now.getTime() - HOUR_MS) });
  const [row] = await db
    .select()
    .from(messageDeliveries)
    .where(
      and(
        eq(messageDeliveries.sink, sink),
        isNull(messageDeliveries.deliveredAt),
        lte(messageDeliveries.nextAt, now),
        got < HOURLY_LIMIT ? undefined : eq(messageDeliveries.kind, 'digest'),
      ),
    )
    .orderBy(asc(messageDeliveries.createdAt), asc(messageDeliveries.id))
    .limit(1);
  if (row === undefined) return null;
  const { id, kind, createdAt, attempts } = row;
  const found = await db
    .select()
    .from(messages)
    .where(eq(messages.delivery, id))
    .orderBy(asc(messages.createdAt), asc(messages.id));
  return { id, kind, createdAt, attempts, messages: found };
}

/** Stores that a delivery arrived. The sink works, so its other deliveries are tried at once. */
export async function markDelivered(db: Tx, { id, now }: { id: string; now: Date }): Promise<void> {
  await db.execute(sql`
    with arrived as (
      update message_deliveries set delivered_at = ${now.toISOString()}, attempts = attempts + 1, last_error = null
      where id = ${id} returning sink, attempts)
    update message_deliveries d set next_at = ${now.toISOString()}
    from arrived where d.sink = arrived.sink and d.id <> ${id} and d.delivered_at is null and arrived.attempts > 1`);
}

/** Stores a failed attempt, and the time of the next. */
export async function markFailed(
  db: Tx,
  { id, error, nextAt }: { id: string; error: string; nextAt: Date },
): Promise<void> {
  await db
    .update(messageDeliveries)
    .set({ attempts: sql`${messageDeliveries.attempts} + 1`, lastError: error, nextAt })
    .where(eq(messageDeliveries.id, id));
}

/**
 * Stores a daily report of a sink, once for each time at which it is due. Returns false if another worker stored it.
 */
export async function insertDigest(
  db: Db,
  { sink, dueAt, body, now }: { sink: string; dueAt: Date; body: MessageBody; now: Date },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const at = dueAt.toISOString();
    const marked = await tx
      .update(sinks)
      .set({ digestAt: dueAt })
      .where(and(eq(sinks.name, sink), sql`coalesce(${sinks.digestAt}, ${sinks.appliedAt}) < ${at}`))
      .returning({ name: sinks.name });
    if (marked.length === 0) return false;
    await tx.insert(messages).values({ sink, kind: 'digest', body, createdAt: now, dueAt });
    return true;
  });
}

/** Days that delivered messages are kept. */
export const MESSAGE_DAYS = 30;

const OLD = sql`${messageDeliveries.deliveredAt} < now() - make_interval(days => ${MESSAGE_DAYS})`;

/** Removes deliveries, with their messages, that arrived long ago; returns their number. */
export async function dropDelivered(db: Tx): Promise<number> {
  return (await db.delete(messageDeliveries).where(OLD)).rowCount ?? 0;
}

/** Number of deliveries that {@link dropDelivered} would remove. */
export const countDelivered = (db: Tx): Promise<number> => db.$count(messageDeliveries, OLD);
