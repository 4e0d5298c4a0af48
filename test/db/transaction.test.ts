import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { connect, type Tx } from '../../db/connect.ts';
import { type HoldingRelay, startHoldingRelay } from '../support/database/holding-relay.ts';
import { useDatabase } from './support.ts';

const bench = useDatabase();
const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

/** Opens a pool of one connection through a relay. The driver waits at most 300 ms for an answer. */
async function openPool(): Promise<{ relay: HoldingRelay } & ReturnType<typeof connect>> {
  const relay = await startHoldingRelay(bench.url);
  closes.push(() => relay.close());
  const url = new URL(relay.url);
  url.searchParams.set('query_timeout', '300');
  const connection = connect(url.href, { max: 1, onError: () => undefined });
  // Not awaited: a pool that lost a client never closes.
  closes.push(() => void connection.close());
  await bench.db.execute(sql`create table if not exists marks (mark text)`);
  return { relay, ...connection };
}

const sessionOf = async (db: Tx): Promise<number | undefined> =>
  (await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)).rows[0]?.pid;
const mark = (db: Tx, name: string) => db.execute(sql`insert into marks values (${name})`);
const marks = async (name: string) => (await bench.db.execute(sql`select from marks where mark = ${name}`)).rows.length;

/** Message of the driver for a statement without an answer, or the driver's report of the statement. */
const TIMED_OUT = /Query read timeout|Failed query: (begin|rollback)/;

describe('a transaction', () => {
  test('whose begin gets no answer gives its place in the pool to the next one', async () => {
    const { db, relay, pool } = await openPool();
    const session = await sessionOf(db);
    relay.holdFirst('begin');
    await expect(db.transaction((tx) => mark(tx, 'first'))).rejects.toThrow(TIMED_OUT);
    await db.transaction((tx) => mark(tx, 'second'));
    expect([await marks('first'), await marks('second')]).toEqual([0, 1]);
    expect(await sessionOf(db)).not.toBe(session);
    expect(pool.totalCount).toBe(1);
  });

  test.each(['commit', 'rollback'])('whose %s gets no answer leaves nothing open to the next one', async (word) => {
    const { db, relay } = await openPool();
    const failing = db.transaction(async (tx) => {
      await mark(tx, `${word.length} failed`);
      relay.holdFirst(word);
      if (word === 'rollback') throw new Error('not wanted');
    });
    await expect(failing).rejects.toThrow(word === 'rollback' ? 'not wanted' : TIMED_OUT);
    expect(relay.isHeld()).toBe(true);
    await mark(db, `${word.length} went on`);
    expect([await marks(`${word.length} failed`), await marks(`${word.length} went on`)]).toEqual([0, 1]);
  });

  test('that throws is rolled back, and keeps its connection', async () => {
    const { db } = await openPool();
    const session = await sessionOf(db);
    const failing = db.transaction(async (tx) => {
      await mark(tx, 'thrown');
      throw new Error('not wanted');
    });
    await expect(failing).rejects.toThrow('not wanted');
    expect([await marks('thrown'), await sessionOf(db)]).toEqual([0, session]);
  });

  test('returns the result of its work, in the requested mode, with savepoints inside', async () => {
    const { db } = await openPool();
    const read = await db.transaction(async (tx) => (await tx.execute(sql`show transaction_read_only`)).rows, {
      accessMode: 'read only',
    });
    expect(read).toEqual([{ transaction_read_only: 'on' }]);
    await db.transaction(async (tx) => {
      await mark(tx, 'outer');
      await tx.transaction(async (inner) => mark(inner, 'inner').then(() => inner.rollback())).catch(() => undefined);
    });
    expect([await marks('outer'), await marks('inner')]).toEqual([1, 0]);
  });
});
