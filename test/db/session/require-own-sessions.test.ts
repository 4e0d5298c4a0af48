import pg from 'pg';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { listen } from '../../../db/listen.ts';
import { migrate } from '../../../db/migrate.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import { RefusedDatabaseError } from '../../../db/session/refused-database.ts';
import { requireOwnSessions } from '../../../db/session/require-own-sessions.ts';
import { startHoldingRelay } from '../../support/database/holding-relay.ts';
import { makeDatabase } from '../../support/database/make-database.ts';
import { noPgbouncer, startPgbouncer } from '../../support/database/pgbouncer.ts';
import { query } from '../reader/support.ts';

const server = inject('sharedPostgres');
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An empty database: its own URL, and its URL through a pgbouncer with these settings. */
async function pooled(settings: Record<string, string | number>): Promise<{ url: string; through: string }> {
  const url = await makeDatabase(server);
  const pooler = await startPgbouncer(url, settings);
  ends.push(pooler.stop);
  return { url, through: pooler.through(url) };
}

/** Advisory locks that sessions of a database hold. */
const locksIn = (url: string) =>
  query<{ objid: string }>(
    url,
    `select objid from pg_locks join pg_database on pg_database.oid = database
     where locktype = 'advisory' and datname = current_database()`,
  );

describe.skipIf(noPgbouncer)(`a pgbouncer${noPgbouncer ? `: ${noPgbouncer}` : ''}`, () => {
  test.each([
    { pool_mode: 'transaction' },
    { pool_mode: 'statement' },
    { pool_mode: 'transaction', server_round_robin: 1, min_pool_size: 4 },
    { pool_mode: 'transaction', default_pool_size: 1 },
  ])('with %o is refused with the setting to change, and leaves no lock and no table', async (settings) => {
    const { url, through } = await pooled(settings);
    const refused = migrate(through);
    await expect(refused).rejects.toBeInstanceOf(RefusedDatabaseError);
    await expect(refused).rejects.toThrow(/Set `pool_mode=session` for test_\w+ .* or set DATABASE_URL to the address/);
    expect(await locksIn(url)).toEqual([]);
    expect(await query(url, `select to_regclass('trials') as found`)).toEqual([{ found: null }]);
    // The address of Postgres itself works at once.
    await migrate(url);
  });

  test('in transaction mode is refused while other clients use its sessions, too', async () => {
    const { through } = await pooled({ pool_mode: 'transaction', default_pool_size: 3 });
    const others = [1, 2].map(() => new pg.Client({ connectionString: through }));
    let isOver = false;
    const busy = others.map(async (client) => {
      await client.connect();
      while (!isOver) await client.query('select 1');
      await client.end();
    });
    await expect(migrate(through)).rejects.toThrow(RefusedDatabaseError);
    isOver = true;
    await Promise.all(busy);
  });

  test('in session mode works: settings of its sessions, notifications, and a dashboard that only reads', async () => {
    const { url, through } = await pooled({ pool_mode: 'session' });
    await query(url, `alter database ${new URL(url).pathname.slice(1)} set datestyle = 'SQL, DMY'`);
    await migrate(through);
    const { pool, close } = connect(through, { max: 2, onError: () => undefined });
    ends.push(close);
    expect((await pool.query('show datestyle')).rows).toEqual([{ DateStyle: 'ISO, MDY' }]);
    const heard = await new Promise((resolve) => {
      const listener = listen(through, 'words', (words) => {
        if (words !== '') resolve(words);
        else void pool.query(`notify words, 'through the pooler'`);
      });
      ends.push(listener.close);
    });
    expect(heard).toBe('through the pooler');
    // The pooler does not know the reader's role.
    expect(await readerAddress(through)).toMatchObject({ role: 'read-only', url: through });
  });

  test('with a single session is refused with the setting to change', async () => {
    const { through } = await pooled({ pool_mode: 'session', default_pool_size: 1, query_wait_timeout: 1 });
    await expect(migrate(through)).rejects.toThrow(/several connections at once.* set its pool_size to 40 or more/);
  });
});

test('a Postgres that stands still for longer than a pooler may is no small pool', async () => {
  const relay = await startHoldingRelay(server);
  ends.push(async () => relay.close());
  const first = new pg.Client({ connectionString: server });
  await first.connect();
  ends.push(() => first.end());
  const asked = vi.spyOn(first, 'query');
  relay.holdFirst('pg_backend_pid');
  const required = requireOwnSessions(first, relay.url);
  // The first connection is asked again after the second one got no answer.
  await expect.poll(() => asked.mock.calls.length, { interval: 5 }).toBe(2);
  expect(relay.isHeld()).toBe(true);
  await relay.letGo();
  expect(await required).toBeUndefined();
});
