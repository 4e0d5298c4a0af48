import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { insertEvents } from '../../../../db/event/insert-events.ts';
import { makeDatabase } from '../../../support/database/make-database.ts';
import { startServer } from '../../../cli/support/database.ts';
import { migrate } from '../../../../db/migrate.ts';
import { readerAddress } from '../../../../db/reader/reader-address.ts';
import { useDatabase } from '../../../db/support.ts';
import { type Served, useDashboard } from '../support.ts';
import { followStream, type Tab } from './follow-stream.ts';

const database = useDatabase();
const serve = useDashboard();
const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

/** Reads the stream until the end of the test. */
async function follow(served: Served): Promise<Tab> {
  const tab = await followStream(served);
  closes.push(tab.close);
  return tab;
}

const insertEvent = (researchId: string | null) =>
  insertEvents(database.db, [{ researchId, kind: 'window', data: { from: null, window: 1 } }]);
const listeners = async (): Promise<number> =>
  (
    await database.db.execute(
      sql`select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`,
    )
  ).rows.length;

describe('the stream', () => {
  test('sends the cursor on connect, then an event per change; null stands for hosts', async () => {
    const served = await serve({ databaseUrl: database.url });
    const tab = await follow(served);
    await expect.poll(() => tab.messages).toMatchObject([{ event: 'changed', data: { research: null } }]);
    await insertEvent('one');
    await expect.poll(() => tab.messagesOf('one')).toHaveLength(1);
    await insertEvent(null);
    await expect.poll(() => tab.messagesOf(null)).toHaveLength(2);
    const late = await follow(served);
    await expect.poll(() => late.messages).toMatchObject([{ data: tab.messagesOf(null).at(-1)?.data }]);
  });

  test('serves three tabs with one listening connection', async () => {
    const served = await serve({ databaseUrl: database.url });
    const tabs = [await follow(served), await follow(served), await follow(served)];
    for (const tab of tabs) await expect.poll(() => tab.messagesOf(null)).toHaveLength(1);
    await expect.poll(listeners).toBe(1);
    await insertEvent('shared');
    for (const tab of tabs) await expect.poll(() => tab.messagesOf('shared')).toHaveLength(1);
    expect(await listeners()).toBe(1);
  });

  test('reports a late commit exactly once, together with the events that it delayed', async () => {
    const tab = await follow(await serve({ databaseUrl: database.url }));
    await expect.poll(() => tab.messagesOf(null)).toHaveLength(1);
    const slow = new pg.Client({ connectionString: database.url });
    await slow.connect();
    closes.push(() => slow.end());
    await slow.query('begin');
    await slow.query(`insert into events (research_id, kind, level, data) values ('slow', 'window', 'info', '{}')`);
    await insertEvent('quick');
    await slow.query('commit');
    await expect.poll(() => [tab.messagesOf('slow').length, tab.messagesOf('quick').length]).toEqual([1, 1]);
    await insertEvent('later');
    await expect.poll(() => tab.messagesOf('later')).toHaveLength(1);
    expect([tab.messagesOf('slow').length, tab.messagesOf('quick').length]).toEqual([1, 1]);
  });

  test('reports a research that changes all the time at most four times a second', async () => {
    const tab = await follow(await serve({ databaseUrl: database.url }));
    await expect.poll(() => tab.messagesOf(null)).toHaveLength(1);
    const startedAt = performance.now();
    while (tab.messagesOf('busy').length < 5) await insertEvent('busy');
    // A timer may end a millisecond early.
    const most = 1 + (performance.now() - startedAt) / 249;
    expect(tab.messagesOf('busy').length).toBeLessThanOrEqual(most);
  });

  test('reports that Postgres is away and that it is back, also on another port', async () => {
    const first = await startServer();
    const url = await makeDatabase(first.url);
    await migrate(url);
    const served = await serve({ databaseUrl: url });
    closes.push(() => first.stop());
    const tab = await follow(served);
    await expect.poll(() => tab.messages.length).toBe(1);
    await first.halt();
    await expect
      .poll(() => tab.messages.at(-1))
      .toMatchObject({ event: 'away', data: { message: expect.stringMatching(/Postgres does not answer/) as string } });
    const late = await follow(served);
    await expect.poll(() => late.messages).toMatchObject([{ event: 'away' }]);
    await first.restart();
    for (const each of [tab, late])
      await expect
        .poll(() => each.messages.slice(-2))
        .toMatchObject([{ event: 'back' }, { event: 'changed', data: { research: null } }]);
    // The stack writes the new URL when its Postgres comes back at another address.
    served.settings.readUrl = (await readerAddress(database.url)).url;
    await expect.poll(listeners).toBe(1);
    await insertEvent('moved');
    await expect.poll(() => tab.messagesOf('moved')).toHaveLength(1);
  });
});
