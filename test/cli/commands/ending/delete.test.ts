import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { eq } from 'drizzle-orm';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { findHistories, belongsToResearch } from '../../../../cli/deletion/histories.ts';
import { researches, updates } from '../../../../db/schema.ts';
import { checkpointsIn } from '../../../../infra/policy/checkpoints.ts';
import { listNames } from '../../../../infra/files.ts';
import { useDatabase } from '../../../db/support.ts';
import { insertStory } from '../../support/lineage.ts';
import { NOWHERE, run } from '../../support/cli.ts';

const bench = useDatabase();
const home = mkdtempSync(join(tmpdir(), 'perpetua-delete-'));
afterAll(() => rmSync(home, { recursive: true }));
const perpetua = (argv: string[], ask?: (question: string) => Promise<string>) =>
  run(argv, {
    env: { DATABASE_URL: bench.url, TEMPORAL_ADDRESS: NOWHERE, PERPETUA_HOME: home },
    ...(ask ? { ask } : {}),
  });
const isThere = async (id: string) => (await bench.db.$count(researches, eq(researches.id, id))) === 1;
let n = 0;
let id: string;

beforeEach(async () => {
  id = `toy${(n += 1)}`;
  await insertStory(bench.db, id);
  await bench.db.update(researches).set({ phase: 'stopped' }).where(eq(researches.id, id));
});

test('delete refuses a research that has not ended, with what to do', async () => {
  await bench.db.update(researches).set({ phase: 'paused' }).where(eq(researches.id, id));
  const refused = await perpetua(['delete', id, '--yes']);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Stop it: npx perpetua stop ${id}`) as string,
  });
  expect(await isThere(id)).toBe(true);
});

test('delete asks for the id, and any other word deletes nothing; without a terminal it requires --yes', async () => {
  expect((await perpetua(['delete', id])).stderr).toContain('Pass --yes');
  const asked: string[] = [];
  const answering = (answer: string) => (question: string) => {
    asked.push(question);
    return Promise.resolve(answer);
  };
  expect((await perpetua(['delete', id], answering('y'))).stderr).toContain('Nothing was deleted');
  expect(await isThere(id)).toBe(true);
  expect((await perpetua(['delete', id], answering(id))).code).toBe(0);
  expect(asked[0]).toBe(`This deletes the research ${id} with its 6 trials, for good. Type its id to confirm: `);
  expect(await isThere(id)).toBe(false);
});

test('delete removes the checkpoints of the research and no other, and the JSON counts what was removed', async () => {
  const [deleted, other] = ['a', 'b'].map((letter) => letter.repeat(64));
  for (const stepKey of [deleted, other]) mkdirSync(join(checkpointsIn(home), stepKey ?? ''), { recursive: true });
  await bench.db.insert(updates).values({ researchId: id, k: 1, batch: [], stepKey: deleted });
  const ran = await perpetua(['delete', id, '--yes', '--json']);
  expect(ran.json()).toEqual([
    expect.objectContaining({ workflowId: id, trials: 6, checkpoints: 1, runs: 0, failed: [], histories: null }),
  ]);
  expect(await listNames(checkpointsIn(home))).toEqual([other]);
});

test.each([
  ['a', true],
  ['a/12', true],
  ['a/update-3', true],
  ['a/b', false],
  ['a/b/12', false],
  ['ab/1', false],
])('the workflow %s belongs to the research a: %s', (workflowId, belongs) => {
  expect(belongsToResearch(workflowId, 'a')).toBe(belongs);
});

test('a workflow that was started with the id meanwhile counts as open, and its history is not deleted', async () => {
  const listed = [
    { workflowId: 'a', runId: 'old', status: { name: 'COMPLETED' } },
    { workflowId: 'a', runId: 'new', status: { name: 'RUNNING' } },
    { workflowId: 'a/1', runId: 'one', status: { name: 'PAUSED' } },
  ];
  const client = { workflow: { list: () => listed } } as unknown as Client;
  expect(await findHistories(client, 'a')).toEqual({
    closed: [{ workflowId: 'a', runId: 'old' }],
    open: ['a', 'a/1'],
  });
});
