import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Researches } from '../../../../dashboard/api/researches.ts';
import { research } from '../../../../dashboard/server/routes/research.ts';
import { researches } from '../../../../dashboard/server/routes/researches.ts';
import type { NeedsYou } from '../../../../view/attention/entry.ts';
import { runOn } from '../../../cli/support/cli.ts';
import { insertResearch } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { readData } from './read-route.ts';

const bench = useDatabase();

const UNREACHED = 'model endpoint: cannot reach https://api.example.com/v1 (check OPENAI_BASE_URL, and that it is up)';

/** Six researches: an endpoint is down for two of them, and one has failed. The other three need nobody. */
async function insertSix(): Promise<void> {
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await insertResearch(bench.db, id);
  const { store, db } = bench;
  for (const researchId of ['a', 'b']) await store.call.recordEndpoint({ researchId, down: UNREACHED });
  await db.execute(sql`update events set at = now() - interval '1 hour' where kind = 'endpoint-down'`);
  const record = (researchId: string, phase: 'failed' | 'paused' | 'waiting', reason: string | null) =>
    store.research.recordPhase({ researchId, phase, reason, window: 1, activeSeconds: 1 });
  await record('c', 'failed', 'the workflow broke');
  await record('d', 'paused', 'paused by a person; runs finish');
  await store.research.insertAlert({ researchId: 'd', message: 'the signal inject was left out: expected edits' });
  // An outage of a minute, of another server.
  await store.call.recordEndpoint({ researchId: 'e', down: 'policy: it starts' });
  await record('f', 'waiting', 'batch 3 is on its way');
}

test('of six researches with two real faults, page and command have exactly two entries, and they agree', async () => {
  await insertSix();
  const now = new Date();
  const page = Researches.parse(await readData(bench.db, researches, { now }));
  expect(page.attention).toMatchObject([
    { key: 'failed:c', researches: ['c'] },
    { key: 'endpoint:api.example.com', researches: ['a', 'b'] },
  ]);
  expect(page.states.map(({ researches: ids, title }) => `${ids.join()} ${title}`).toSorted()).toEqual([
    'd The research is paused',
    'e The proposer gets no answer',
    'f The research waits',
  ]);
  const [listed] = (await runOn(bench.url, ['attention', '--json'])).json() as [NeedsYou];
  expect(listed.attention).toEqual(page.attention);
  for (const [id, count] of Object.entries({ a: 1, b: 1, c: 1, d: 0, e: 0, f: 0 })) {
    const { attention } = await readData(bench.db, research, { input: { id }, now });
    expect({ id, count: attention.length }).toEqual({ id, count });
    const [status] = (await runOn(bench.url, ['status', id, '--json'])).json() as [Pick<NeedsYou, 'attention'>];
    expect(status.attention).toEqual(attention);
  }
});

test('an entry that was put away for everybody is on no page', async () => {
  await runOn(bench.url, ['attention', '--dismiss', 'endpoint:api.example.com']);
  const { attention } = await readData(bench.db, researches, { now: new Date() });
  expect(attention.map(({ key }) => key)).toEqual(['failed:c']);
  const page = await readData(bench.db, research, { input: { id: 'a' }, now: new Date() });
  expect(page.attention).toEqual([]);
});
