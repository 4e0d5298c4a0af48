import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { settle } from '../../../activities/outcome/settle.ts';
import { EVENTS_CHANNEL } from '../../../db/event/insert-events.ts';
import { cursorBefore, FIRST_CURSOR, ForeignCursorError, readEvents } from '../../../db/reads/read-events.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const clients: pg.Client[] = [];

/** Another session, whose transaction the test can keep open. */
async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: bench.url });
  clients.push(client);
  await client.connect();
  return client;
}

const insert = (researchId: string, text: string) => ({
  text:
    `insert into events (research_id, kind, level, n, data) values ($1, 'endpoint-down', 'warning', null, ` +
    `jsonb_build_object('why', $2::text))`,
  values: [researchId, text],
});

/** A reader that continues from its last cursor. */
function reader(researchId: string) {
  let after: string | undefined;
  const now = async (): Promise<string[]> => {
    const lines = await readEvents(bench.db, { researchId, limit: 100, ...(after === undefined ? {} : { after }) });
    after = lines.at(-1)?.cursor ?? after;
    return lines.map(({ data }) => (data as { why: string }).why);
  };
  /** Reads on until it has `count` events: other transactions on this server may hold them back for a moment. */
  const until = async (count: number): Promise<string[]> => {
    const got: string[] = [];
    while (got.length < count) got.push(...(await now()));
    return got;
  };
  return { now, until };
}

beforeAll(async () => void (await insertResearch(bench.db, 'any')));
afterAll(async () => void (await Promise.all(clients.map((client) => client.end()))));

test('events of a transaction that begins first and commits last are not lost: later events wait for it', async () => {
  const [slow, quick] = [await session(), await session()];
  const read = reader('late');
  await quick.query(insert('late', 'before'));
  expect(await read.until(1)).toEqual(['before']);
  await slow.query('begin');
  await slow.query(insert('late', 'first'));
  await quick.query(insert('late', 'second'));
  expect(await read.now()).toEqual([]);
  // An event of the slow transaction after the quick one has committed.
  await slow.query(insert('late', 'third'));
  await slow.query('commit');
  expect(await read.until(3)).toEqual(['first', 'third', 'second']);
  expect(await read.now()).toEqual([]);
});

test('a transaction that is rolled back holds no events back any more', async () => {
  const [slow, quick] = [await session(), await session()];
  const read = reader('undone');
  await slow.query('begin');
  await slow.query(insert('undone', 'never'));
  await quick.query(insert('undone', 'stays'));
  expect(await read.now()).toEqual([]);
  await slow.query('rollback');
  expect(await read.until(1)).toEqual(['stays']);
});

test('while many write at once a reader gets every event once', async () => {
  const writers = await Promise.all(Array.from({ length: 4 }, session));
  const names = writers.flatMap((_, w) => Array.from({ length: 25 }, (__, i) => `${w}/${i}`));
  const read = reader('many');
  const writing = writers.map(async (client, w) => {
    for (let i = 0; i < 25; i += 1) {
      await client.query('begin');
      await client.query(insert('many', `${w}/${i}`));
      await sleep((w * 7 + i) % 5);
      await client.query('commit');
    }
  });
  const [got] = await Promise.all([read.until(names.length), ...writing]);
  expect(got.toSorted()).toEqual(names.toSorted());
  expect(await read.now()).toEqual([]);
});

test('the events of one research and of all researches are read with the same cursor', async () => {
  const writer = await session();
  for (const why of ['a', 'b', 'c']) await writer.query(insert('tail', why));
  await reader('tail').until(3);
  const after = await cursorBefore(bench.db, { researchId: 'tail', last: 2 });
  const lines = await readEvents(bench.db, { after, researchId: 'tail', limit: 1 });
  expect(lines).toMatchObject([{ researchId: 'tail', kind: 'endpoint-down', level: 'warning', data: { why: 'b' } }]);
  const all = await readEvents(bench.db, { after: lines[0]?.cursor ?? '', limit: 100 });
  expect(all).toMatchObject([{ researchId: 'tail', data: { why: 'c' } }]);
  expect(await cursorBefore(bench.db, { researchId: 'tail', last: 9 })).toBe(FIRST_CURSOR);
});

test('a cursor of another server and an invalid cursor are refused', async () => {
  const ahead = readEvents(bench.db, { after: '18446744073709551610:1', limit: 1 });
  await expect(ahead).rejects.toBeInstanceOf(ForeignCursorError);
  await expect(readEvents(bench.db, { after: 'yesterday', limit: 1 })).rejects.toThrow(/like 0:0, got "yesterday"/);
});

test('an outcome notifies once, with its research, when it is committed', async () => {
  const listener = await session();
  const heard: (string | undefined)[] = [];
  listener.on('notification', ({ payload }) => heard.push(payload));
  await listener.query(`listen ${EVENTS_CHANNEL}`);
  const ask = { researchId: 'any', key: 'k', room: 1, activeSeconds: 0, proposals: true };
  const { trials } = await admitTrials(bench.store, ask);
  const outcome = { trialId: trials[0]?.trialId ?? '', researchId: 'any', status: 'lost' as const, value: null };
  const failure = { label: 'machine-lost' as const, message: 'gone' };
  const more = { metrics: {}, evaluatorNotes: null, trusted: false };
  for (let attempt = 0; attempt < 2; attempt += 1) await settle(bench.store, { ...outcome, failure, ...more });
  // Notifications arrive before the answer to this query.
  await listener.query('select 1');
  expect(heard).toEqual(['any']);
});
