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
    const { deliveries, held } = planDeliveries({ waiting, recent, isDown: await isDown(tx, { sink, now }), now });
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

/** Deliveries in succession after whose failure a sink is down. A smaller number may be refused for their content. */
const DOWN_AFTER = 3;

/**
 * True if the sink took none of its last deliveries. Failures of more than a day ago do not count, so that deliveries
 * which are refused for their content cannot stop the others for ever.
 */
async function isDown(db: Tx, { sink, now }: { sink: string; now: Date }): Promise<boolean> {
  const since = new Date(now.getTime() - DAY_MS).toISOString();
  const { rows } = await db.execute<{ failed: number }>(sql`
    select count(*)::int as failed from message_deliveries d
    where sink = ${sink} and kind <> 'digest' and delivered_at is null and attempts > 0 and created_at > ${since}
      and not exists (
        select 1 from message_deliveries arrived
        where arrived.sink = d.sink and arrived.delivered_at >= d.created_at)`);
  return (rows[0]?.failed ?? 0) >= DOWN_AFTER;
}

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

interface NextInput {
  sink: string;
  now: Date;
  /** Deliveries that are left out, since the sink has just refused them. */
  without: readonly string[];
}

/**
 * The next delivery of a sink if an attempt is due; null if there is none, or if the sink has got as many in the last
 * hour as it may get. It is the oldest, which may be due later: a sink that works again gets its messages in their
 * order. If some are left out, it is the one with the fewest attempts, since a content that the sink refuses stays
 * refused. The end of an entry waits for the message that it began, even if that one is left out.
 */
export async function nextDelivery(db: Tx, { sink, now, without }: NextInput): Promise<Delivery | null> {
  const got = await countSince(db, { sink, column: 'delivered', since: new Date(now.getTime() - HOUR_MS) });
  const { rows } = await db.execute<{ id: string }>(sql`
    with open as (
      select d.*, exists (
        select 1 from messages mine join messages earlier
          on earlier.entry = mine.entry and earlier.sink = mine.sink and earlier.created_at < mine.created_at
        join message_deliveries before on before.id = earlier.delivery
        where mine.delivery = d.id and before.id <> d.id and before.delivered_at is null) as waits
      from message_deliveries d
      where sink = ${sink} and delivered_at is null and id <> all(${sql.param([...without])}::text[])
        and (${got < HOURLY_LIMIT} or kind = 'digest'))
    select id from open
    where not waits and exists (select 1 from open where next_at <= ${now.toISOString()})
    order by case when ${without.length > 0} then attempts end, created_at, id limit 1`);
  const [next] = rows;
  if (next === undefined) return null;
  const [row] = await db.select().from(messageDeliveries).where(eq(messageDeliveries.id, next.id));
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
