import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { dismissAttention } from '../../../db/attention/dismiss-attention.ts';
import { applySinks } from '../../../db/notify/apply-sinks.ts';
import { messages } from '../../../db/schema.ts';
import { Notify } from '../../../domain/notify/sink.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const UNREACHED = 'model endpoint: https://api.example.com answered 503';

beforeEach(async () => {
  await bench.db.execute(sql`truncate messages, message_deliveries, sinks, events, attention_entries`);
  await bench.db.execute(sql`delete from researches`);
  const sinks = ['a', 'b'].map((name) => ({ name, type: 'file', path: `/${name}` }));
  await applySinks(bench.db, Notify.parse({ sinks }));
});

const later = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
const down = (researchId: string, why: string | null = UNREACHED) =>
  bench.store.call.recordEndpoint({ researchId, down: why });
const record = (minutes: number) => bench.store.notify.recordNeeds({ now: later(minutes) });
const stored = async (): Promise<string[]> =>
  (await bench.db.select().from(messages)).map(({ sink, kind }) => `${sink} ${kind}`).sort();
/** A message that is held counts as planned: its end is a message, too. */
const hold = () => bench.db.update(messages).set({ held: true });

test('a research that joins an entry is announced to its sinks, unless they have got the entry', async () => {
  await insertResearch(bench.db, 'first', { notify: ['a'] });
  await down('first');
  await record(11);
  expect(await stored()).toEqual(['a needs-you']);
  await insertResearch(bench.db, 'second', { notify: ['a', 'b'] });
  await down('second');
  await record(12);
  await record(13);
  expect(await stored()).toEqual(['a needs-you', 'b needs-you']);
  await hold();
  await down('first', null);
  await down('second', null);
  await record(15);
  expect(await stored()).toEqual(['a needs-you', 'a over', 'b needs-you', 'b over']);
});

test('putting an entry away closes the message about its earlier cause', async () => {
  await insertResearch(bench.db, 'toy', { notify: ['a'] });
  await down('toy');
  await record(11);
  await hold();
  await down('toy', 'model endpoint: https://api.example.com answered 401 (check OPENAI_API_KEY)');
  await dismissAttention(bench.db, { key: 'endpoint:api.example.com', now: later(12) });
  expect(await stored()).toEqual(['a needs-you', 'a over']);
  await record(13);
  expect(await stored()).toEqual(['a needs-you', 'a over']);
});
