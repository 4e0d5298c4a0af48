import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { dismissAttention } from '../../../db/attention/dismiss-attention.ts';
import { countEndedAttention, dropEndedAttention } from '../../../db/attention/drop-ended.ts';
import { recordAttention } from '../../../db/attention/record-attention.ts';
import { readAttention } from '../../../db/reads/attention/read-attention.ts';
import { readResearches } from '../../../db/reads/read-research.ts';
import { deleteResearch } from '../../../db/research/delete-research.ts';
import { attentionEntries } from '../../../db/schema.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { readAllEvents } from '../event/read-all-events.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

beforeEach(async () => {
  await bench.db.execute(sql`delete from attention_entries`);
  await bench.db.execute(sql`delete from researches`);
  await bench.db.execute(sql`delete from events`);
});

const HOUR_MS = 3_600_000;
/** A time after the outages of a test are long enough to need a person. */
const later = (hours = 1): Date => new Date(Date.now() + hours * HOUR_MS);

const UNREACHED = 'model endpoint: https://api.example.com answered 503 (this may be temporary: wait)';
const KEY = 'endpoint:api.example.com';

const down = async (researchId: string, why: string | null = UNREACHED): Promise<void> => {
  await bench.store.call.recordEndpoint({ researchId, down: why });
};

async function insertDown(...ids: string[]): Promise<void> {
  for (const id of ids) {
    await insertResearch(bench.db, id);
    await down(id);
  }
}

const record = (now = later()) => recordAttention(bench.db, { now });
const rows = () => bench.db.select().from(attentionEntries).orderBy(attentionEntries.id);
const shown = async (now = later()): Promise<string[]> => {
  const { sound } = await readResearches(bench.db);
  return (await readAttention(bench.db, { researches: sound, now })).attention.map(({ key }) => key);
};
const kindsOf = async (id: string): Promise<string[]> =>
  (await readAllEvents(bench.db, id)).map(({ kind }) => kind).filter((kind) => kind.startsWith('attention'));

describe('recording', () => {
  test('an entry of two researches is one row and an event for each, and another call changes nothing', async () => {
    await insertDown('a', 'b');
    const { appeared, ended } = await record();
    expect(ended).toEqual([]);
    expect(appeared).toMatchObject([{ key: KEY, fingerprint: 'no-answer', researches: ['a', 'b'], endedAt: null }]);
    const begun = await bench.db.execute<{ at: string }>(sql`
      select min(at) as at from events where kind = 'endpoint-down'`);
    expect(appeared[0]?.at).toBe(new Date(begun.rows[0]?.at ?? 0).toISOString());
    expect(await record()).toEqual({ appeared: [], ended: [] });
    expect(await rows()).toHaveLength(1);
    expect(await kindsOf('a')).toEqual(['attention-appeared']);
    expect(await kindsOf('b')).toEqual(['attention-appeared']);
  });

  test('an entry that is over ends its row with an event, and is a new row if it happens again', async () => {
    await insertDown('a');
    await record();
    await down('a', null);
    expect(await record()).toMatchObject({
      appeared: [],
      ended: [{ key: KEY, endedAt: expect.any(String) as string }],
    });
    expect(await kindsOf('a')).toEqual(['attention-appeared', 'attention-ended']);
    await down('a');
    expect((await record()).appeared).toHaveLength(1);
    expect((await rows()).map(({ endedAt }) => endedAt === null)).toEqual([false, true]);
  });

  test('a research that joins a known cause is added to the row, without a second announcement', async () => {
    await insertDown('a');
    await record();
    await insertDown('b');
    expect(await record()).toEqual({ appeared: [], ended: [] });
    expect((await rows()).map(({ researches }) => researches)).toEqual([['a', 'b']]);
    expect(await kindsOf('b')).toEqual([]);
  });

  test('an outage that is younger than ten minutes is not recorded', async () => {
    await insertDown('a');
    expect((await record(new Date())).appeared).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  test('another cause under the same key ends the first row and opens another one', async () => {
    await insertDown('a');
    await record();
    await down('a', 'model endpoint: https://api.example.com answered 401 (check OPENAI_API_KEY)');
    expect(await record()).toMatchObject({
      ended: [{ fingerprint: 'no-answer' }],
      appeared: [{ key: KEY, fingerprint: 'key' }],
    });
  });

  test('six calls at the same time make one row and one announcement', async () => {
    await insertDown('a');
    const stores = Array.from({ length: 6 }, () => bench.another());
    const now = later();
    const changes = await Promise.all(stores.map(({ event }) => event.recordAttention({ now })));
    expect(changes.flatMap(({ appeared }) => appeared)).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
    expect(await kindsOf('a')).toEqual(['attention-appeared']);
  });

  test('a listener that fails leaves nothing recorded, so that the next call announces the entry', async () => {
    await insertDown('a');
    const failing = recordAttention(bench.db, { now: later(), onChange: () => Promise.reject(new Error('full')) });
    await expect(failing).rejects.toThrow('full');
    expect([await rows(), await kindsOf('a')]).toEqual([[], []]);
    const heard: string[] = [];
    const onChange = async (tx: Parameters<typeof recordAttention>[0], change: { appeared: { key: string }[] }) => {
      expect(await tx.$count(attentionEntries)).toBe(1);
      heard.push(...change.appeared.map(({ key }) => key));
    };
    await recordAttention(bench.db, { now: later(), onChange });
    await recordAttention(bench.db, { now: later(), onChange });
    expect(heard).toEqual([KEY]);
  });
});

describe('putting an entry away for everybody', () => {
  const dismiss = (key = KEY) => dismissAttention(bench.db, { key, now: later() });

  test('it is shown no more, also before it was ever recorded, and nothing announces it', async () => {
    await insertDown('a');
    expect(await shown()).toEqual([KEY]);
    expect(await dismiss()).toMatchObject({ dismissed: { key: KEY } });
    expect(await shown()).toEqual([]);
    expect(await record()).toEqual({ appeared: [], ended: [] });
    await dismiss();
    expect(await rows()).toHaveLength(1);
    expect(await kindsOf('a')).toEqual([]);
  });

  test('it comes back if its cause changes', async () => {
    await insertDown('a');
    await record();
    await dismiss();
    await down('a', 'model endpoint: https://api.example.com answered 402 (check the credit of the account)');
    expect(await shown()).toEqual([KEY]);
    expect((await record()).appeared).toMatchObject([{ fingerprint: 'credit', dismissedAt: null }]);
    expect(await shown()).toEqual([KEY]);
  });

  test('its row with an earlier cause ends with an event', async () => {
    await insertDown('a');
    await record();
    await down('a', 'model endpoint: https://api.example.com answered 401 (check OPENAI_API_KEY)');
    await dismiss();
    expect((await rows()).map(({ fingerprint, endedAt }) => [fingerprint, endedAt === null])).toEqual([
      ['no-answer', false],
      ['key', true],
    ]);
    expect(await kindsOf('a')).toEqual(['attention-appeared', 'attention-ended']);
  });

  test('it comes back if it ends and happens again', async () => {
    await insertDown('a');
    await record();
    await dismiss();
    await down('a', null);
    expect((await record()).ended).toMatchObject([{ key: KEY, dismissedAt: expect.any(String) as string }]);
    await down('a');
    expect(await shown()).toEqual([KEY]);
    expect((await record()).appeared).toHaveLength(1);
  });

  test('an unknown key is answered with the keys that there are', async () => {
    await insertDown('a');
    expect(await dismiss('endpoint:other')).toEqual({ known: [KEY] });
    expect(await rows()).toEqual([]);
  });
});

test('rows of a deleted research go with it, and those of several researches stay for the others', async () => {
  await insertDown('a', 'b');
  await insertResearch(bench.db, 'c', { phase: 'failed', reason: 'broken' });
  await record();
  await bench.store.research.updateResearch('a', { phase: 'stopped' });
  await deleteResearch(bench.db, { id: 'a', phase: 'stopped' });
  await deleteResearch(bench.db, { id: 'c', phase: 'failed' });
  expect((await rows()).map(({ key, researches }) => [key, researches])).toEqual([[KEY, ['b']]]);
});

test('entries that ended 90 days ago are removed, later and open ones stay', async () => {
  const ended = (days: number | null) =>
    bench.db.insert(attentionEntries).values({
      key: `k:${days}`,
      fingerprint: 'f',
      researches: [],
      level: 'notice',
      title: 't',
      commands: [],
      beganAt: new Date(0),
      endedAt: days === null ? null : new Date(Date.now() - days * 24 * HOUR_MS),
    });
  for (const days of [91, 89, null]) await ended(days);
  expect(await countEndedAttention(bench.db)).toBe(1);
  expect(await dropEndedAttention(bench.db)).toBe(1);
  expect((await rows()).map(({ key }) => key)).toEqual(['k:89', 'k:null']);
});
