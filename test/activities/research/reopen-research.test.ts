import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { reopenResearch } from '../../../activities/research/reopen-research.ts';
import { recordOf } from '../../../activities/research/research-settings.ts';
import { researches, taskVersions } from '../../../db/schema.ts';
import type { Task } from '../../../domain/task/task.ts';
import { insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function found(id: string) {
  const research = await bench.store.research.findResearch(id);
  if (!research) throw new Error(`Expected a research ${id}`);
  return research;
}

test('a research goes on by another proposer, records its name, and counts barren proposals afresh', async () => {
  await insertResearch(bench.db, 'other');
  await bench.store.research.updateResearch('other', { proposer: 'random', withoutNew: 7 });
  await reopenResearch(bench.store, { researchId: 'other', sha256, proposer: 'llm', budget: { trials: 9 } });
  const after = await found('other');
  expect(after).toMatchObject({ proposer: 'llm', withoutNew: 0, budget: { trials: 9 } });
  expect(after).toMatchObject(recordOf(sha256, { task: TASK, proposer: 'llm' }));
});

test('a start without changes keeps the proposer, the budget and the count of barren proposals', async () => {
  await insertResearch(bench.db, 'same');
  await bench.store.research.updateResearch('same', { withoutNew: 7 });
  const before = await found('same');
  await reopenResearch(bench.store, { researchId: 'same', sha256 });
  const { proposer, budget, withoutNew } = before;
  expect(await found('same')).toMatchObject({ proposer, budget, withoutNew });
});

test('a start keeps the tokens that count and the stop texts, or their lack in a research of 0.2', async () => {
  for (const [id, own] of [
    ['of-0.2', {}],
    ['of-0.3', { stop: ['\n'], tokens: 'answer' }],
  ] as const) {
    await insertResearch(bench.db, id, { proposer: 'policy' });
    const { stop, tokens } = { stop: undefined, tokens: undefined, ...own };
    const proposer = { name: 'policy', ...(stop && { stop }) };
    const update = { name: 'grpo', ...(tokens && { tokens }) };
    const reward = { name: 'improvement' };
    const search = { ...TASK.search, proposer, update, reward } as Task['search'];
    await bench.store.research.updateResearch(id, recordOf(sha256, { task: { ...TASK, search }, proposer: 'policy' }));
    await reopenResearch(bench.store, { researchId: id, sha256 });
    const after = (await found(id)).settings?.search as unknown as { proposer: object; update: object };
    expect([after.proposer, after.update].map((one) => ({ stop: undefined, tokens: undefined, ...one }))).toMatchObject(
      [{ stop }, { tokens }],
    );
  }
});

test('a start waits for a change of task that is under way, and keeps its settings', async () => {
  await insertResearch(bench.db, 'changing');
  const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
  const task = { ...TASK, search: { ...TASK.search, window: 5 } };
  await bench.db.insert(taskVersions).values({ ...names, hash: 'next', task, mutablePaths: ['train.mjs'] });
  const another = bench.another();
  let going: Promise<void> | undefined;
  await bench.store.withResearch('changing', async (tx) => {
    going = reopenResearch(another, { researchId: 'changing', sha256, proposer: 'llm' });
    // Code that does not wait for the lock has read the old version by now, and stores it.
    await expect.poll(() => waiting(), { timeout: 10_000 }).toBe(1);
    const own = recordOf(sha256, { task, proposer: 'random' });
    await tx.research.updateResearch('changing', { taskHash: 'next', ...own });
  });
  await going;
  const [row] = await bench.db.select().from(researches).where(eq(researches.id, 'changing'));
  expect(row).toMatchObject({
    taskHash: 'next',
    proposer: 'llm',
    settings: { search: { window: 5, proposer: 'llm' } },
  });
});

/** Statements that wait for a lock in this file's database. */
async function waiting(): Promise<number> {
  const waits = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return (await bench.db.execute(waits)).rows.length;
}
