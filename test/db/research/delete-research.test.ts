import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { deleteResearch } from '../../../db/research/delete-research.ts';
import {
  arms,
  artefacts,
  blobs,
  callParts,
  candidates,
  events,
  memories,
  nodes,
  points,
  researches,
  runs,
  slots,
  trials,
  updates,
} from '../../../db/schema.ts';
import { hashOf, insertResearch, insertStory, trialRow, storeTrials, WINNER } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const TABLES = [
  'researches',
  'trials',
  'jobs',
  'runs',
  'points',
  'artefacts',
  'calls',
  'call_parts',
  'claims',
  'events',
  'updates',
  'arms',
  'memories',
  'nodes',
];
const SHARED = ['task_versions', 'task_files', 'candidates', 'blobs'];
const stop = (id: string) => bench.db.execute(sql`update researches set phase = 'stopped' where id = ${id}`);
const gone = (id: string) => deleteResearch(bench.db, { id, phase: 'stopped' });

async function counts(names: readonly string[]): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const name of names) all[name] = await bench.db.$count(sql`${sql.identifier(name)}`);
  return all;
}

/** Inserts a candidate that only this research has, with an artefact, an ended run, an event, an arm, and a node. */
async function addOwn(id: string): Promise<void> {
  const [own, left] = [`${id} own`, `${id} left`].map((text) => ({ hash: hashOf(text), content: Buffer.from(text) }));
  if (!own || !left) throw new Error('Expected two');
  await bench.db.insert(blobs).values([own, left]);
  await bench.db
    .insert(candidates)
    .values({ id: hashOf(`${id} c`), immutableHash: 'i', files: { 'train.mjs': own.hash } });
  const trial = trialRow(id, 7, { candidateId: hashOf(`${id} c`), status: 'completed', endedAt: new Date() });
  await storeTrials(bench.db, trial);
  await bench.db.insert(memories).values({ researchId: id, trialId: trial.id, text: 'what it learnt' });
  const key = { jobId: `${id}/7`, placement: 0 };
  await bench.db
    .insert(runs)
    .values({ ...key, host: 'h', slotId: 's', fence: 1, launchedAt: new Date(), endedAt: new Date() });
  await bench.db.insert(callParts).values({ trialId: key.jobId, role: 'evaluator', n: 0, body: Buffer.from('') });
  await bench.db.insert(points).values({ ...key, seq: 1, step: 1, elapsed: 1, value: 1 });
  await bench.db.insert(artefacts).values({ ...key, path: 'out', blobHash: left.hash });
  await bench.db.insert(events).values({ researchId: id, kind: 'phase', level: 'info', data: {} });
  await bench.db.insert(arms).values({ researchId: id, key: 'tpe', chosen: 1 });
  await bench.db.insert(nodes).values({ researchId: id, candidateId: trial.candidateId ?? '', seq: 0, depth: 0 });
}

beforeEach(async () => {
  const all = [...TABLES, 'notes', 'alerts', 'wanted_runs', 'rollouts', 'policies', 'slots', ...SHARED];
  await bench.db.execute(sql.raw(`truncate ${all.join(', ')} cascade`));
});

test('a research is deleted with all its own rows, but not with rows of another research', async () => {
  await insertStory(bench.db, 'stays');
  await stop('stays');
  const before = await counts([...TABLES, ...SHARED]);
  await insertStory(bench.db, 'goes');
  await addOwn('goes');
  await stop('goes');
  expect(await gone('goes')).toMatchObject({
    trials: 7,
    blobs: { files: 2, bytes: 'goes own'.length + 'goes left'.length },
    stepKeys: [],
    runs: expect.arrayContaining([{ host: 'h', jobId: 'goes/7', placement: 0 }]) as unknown,
  });
  expect(await counts([...TABLES, ...SHARED])).toEqual(before);
  expect(await gone('goes')).toBeUndefined();
  await gone('stays');
  expect(Object.values(await counts([...TABLES, 'task_versions', 'task_files']))).toEqual(
    Array(TABLES.length + 2).fill(0),
  );
});

test('a research is not deleted if another one began with its candidates, or if a run of it may be left', async () => {
  await insertStory(bench.db, 'elder');
  await insertStory(bench.db, 'heir');
  await stop('elder');
  await bench.db.insert(candidates).values({ id: hashOf('elder c'), immutableHash: 'i', files: {} });
  await storeTrials(bench.db, trialRow('elder', 7, { candidateId: hashOf('elder c') }));
  await storeTrials(bench.db, trialRow('heir', 7, { parentId: hashOf('elder c') }));
  await expect(gone('elder')).rejects.toThrow(/heir began with its candidates\. Delete heir first/);
  await bench.db.update(trials).set({ parentId: null });
  const held = { id: 'x', pool: 'local', host: 'box', index: 0, state: 'leased' as const, jobId: 'elder/1' };
  await bench.db.insert(slots).values(held);
  await expect(gone('elder')).rejects.toThrow(/may still be under way on box/);
  await bench.db.delete(slots);
  await bench.db.update(researches).set({ phase: 'running' });
  await expect(gone('elder')).rejects.toThrow(/is running now/);
  expect((await counts(['trials'])).trials).toBe(14);
  await stop('elder');
  expect(await gone('elder')).toMatchObject({ trials: 7 });
  expect((await bench.store.trial.loadCandidateFiles(WINNER))['train.mjs']).toContain('0.05');
});

test('a candidate as it was proposed is deleted with the last research that proposed it', async () => {
  const proposedId = hashOf('as proposed');
  await bench.db.insert(candidates).values({ id: proposedId, immutableHash: 'i', files: {} });
  for (const id of ['one', 'two']) {
    await insertStory(bench.db, id);
    await storeTrials(bench.db, trialRow(id, 7, { candidateId: WINNER, proposedId, status: 'cached' }));
    await stop(id);
  }
  await gone('one');
  expect(await bench.store.trial.loadCandidateFiles(proposedId)).toEqual({});
  await gone('two');
  expect(await bench.db.select().from(candidates)).toEqual([]);
});

test('weights stay after the deletion of the research that made them, as long as another one needs them', async () => {
  for (const id of ['parent', 'child', 'eval']) await insertResearch(bench.db, id);
  const made = { researchId: 'parent', batch: [], state: 'done' as const };
  await bench.db.insert(updates).values([1, 2, 3].map((k) => ({ ...made, k, checkpoint: `c${k}`, stepKey: `k${k}` })));
  const base = (researchId: string, k: number) =>
    bench.store.learning.insertPolicyBase({
      researchId,
      base: `parent@${k}`,
      model: 'tiny',
      checkpoint: `c${k}`,
      stepKey: `k${k}`,
      adapter: null,
      descent: [],
    });
  await base('child', 2);
  await base('eval', 3);
  await stop('parent');
  // An evaluation that has ended needs its weights no more; a research that has learnt from its weights does.
  await stop('eval');
  await bench.db.insert(updates).values({ researchId: 'child', k: 1, batch: [], parentCheckpoint: 'c2' });
  await stop('child');
  expect((await gone('parent'))?.stepKeys.toSorted()).toEqual(['k1', 'k3']);
  await expect(base('child', 1)).rejects.toThrow('Expected the weights of parent@1; they were removed meanwhile');
  expect((await gone('child'))?.stepKeys).toEqual(['k2']);
});

test('the deletion covers every table with rows of a research, a trial or a job', async () => {
  const { rows } = await bench.db.execute<{ name: string }>(sql`
    select distinct c.table_name as name
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and c.column_name in ('research_id', 'trial_id', 'job_id', 'workflow_id')`);
  // A slot that holds a trial of the research prevents the deletion.
  const own = rows.map(({ name }) => name).filter((name) => name !== 'slots');
  const text = readFileSync(new URL('../../../db/research/delete-research.ts', import.meta.url), 'utf8');
  expect(own.filter((name) => !new RegExp(`'${name}'|delete from ${name} `).test(text))).toEqual([]);
  expect(own.length).toBeGreaterThan(12);
});

const DELETES = `
  import { connect } from './dist/db/connect.js';
  import { deleteResearch } from './dist/db/research/delete-research.js';
  const { db } = connect(process.argv[1], { max: 1, onError: () => {} });
  await deleteResearch(db, { id: 'goes', phase: 'stopped' });`;

test('a process that is killed during the deletion has deleted nothing', async () => {
  await insertStory(bench.db, 'goes');
  await addOwn('goes');
  await stop('goes');
  const before = await counts([...TABLES, ...SHARED]);
  // At this lock, the rows of the research are deleted, but the shared rows are not.
  const waits = sql`select 1 from pg_locks where relation = 'blobs'::regclass and not granted`;
  await bench.db.transaction(async (tx) => {
    await tx.execute(sql`lock table blobs in share mode`);
    const child = spawn(process.execPath, ['--input-type=module', '-e', DELETES, bench.url], { stdio: 'inherit' });
    await expect.poll(async () => (await bench.db.execute(waits)).rows.length, { timeout: 60_000 }).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await expect.poll(async () => (await bench.db.execute(waits)).rows.length, { timeout: 60_000 }).toBe(0);
  await expect.poll(() => counts([...TABLES, ...SHARED])).toEqual(before);
  expect(await gone('goes')).toMatchObject({ trials: 7 });
}, 120_000);
