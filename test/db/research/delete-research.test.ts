import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eq, sql } from 'drizzle-orm';
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
  wantedRuns,
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

interface Column extends Record<string, unknown> {
  table: string;
  name: string;
  type: string;
  needed: boolean;
  /** Table that a foreign key of the column names. */
  referred: string | null;
}

/** Columns of all tables, as Postgres lists them: a new table needs no change here. */
const COLUMNS = sql`
  select c.table_name as "table", c.column_name as name, c.data_type as type,
    c.is_nullable = 'NO' and c.column_default is null and c.is_identity = 'NO' as needed,
    (select max(u.table_name) from information_schema.key_column_usage k
      join information_schema.constraint_column_usage u using (constraint_schema, constraint_name)
      where k.table_schema = c.table_schema and k.table_name = c.table_name and k.column_name = c.column_name
        and u.table_name <> k.table_name) as referred
  from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
  where c.table_schema = 'public' and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position`;

const SAMPLES: Record<string, string> = {
  text: 'x',
  integer: '1',
  bigint: '1',
  'double precision': '1',
  boolean: 'false',
  jsonb: '{}',
  bytea: '',
  ARRAY: '{}',
  'timestamp with time zone': '2026-11-01',
};

/** Id of the research `goes`, or of its trial, for a column that names one; null for any other column. */
function idIn({ name, referred }: Column): string | null {
  if (referred === 'researches' || /(^|_)research_id$/.test(name)) return 'goes';
  if (referred === 'jobs' || referred === 'trials' || /(^|_)(trial|job|workflow)_id$/.test(name)) return 'goes/7';
  return null;
}

/** Value of a column in a row of the research `goes`: an id, or any value of the type. */
function sampleOf(column: Column): string {
  const { table, name, type, referred } = column;
  const id = idIn(column);
  if (id !== null) return id;
  if (referred === 'task_versions') return 'task-1';
  if (referred === 'sinks') return 'sink-1';
  const sample = SAMPLES[type];
  if (sample === undefined) throw new Error(`Expected a sample of the type ${type}, for ${table}.${name}`);
  return sample;
}

/** Numbers of rows of a table that name the research `goes` or one of its trials. */
const countNaming = async (table: string): Promise<number> =>
  bench.db.$count(sql`${sql.identifier(table)} rows`, sql`rows::text ~ '\\ygoes\\y'`);

test('the deletion leaves in no table of the schema a row that names the research or its trials', async () => {
  await insertStory(bench.db, 'goes');
  await addOwn('goes');
  await stop('goes');
  await bench.db.execute(sql`insert into sinks (name, spec) values ('sink-1', '{}')`);
  const { rows } = await bench.db.execute<Column>(COLUMNS);
  // A slot that holds a trial of the research prevents the deletion.
  const columns = rows.filter(({ table }) => table !== 'slots');
  const owned = new Set(columns.filter((column) => idIn(column) !== null).map(({ table }) => table));
  for (const table of owned) {
    if ((await countNaming(table)) > 0) continue;
    const filled = columns.filter((column) => column.table === table && (column.needed || idIn(column) !== null));
    const names = filled.map(({ name }) => sql.identifier(name));
    const values = filled.map((column) => sql`${sampleOf(column)}`);
    await bench.db.execute(
      sql`insert into ${sql.identifier(table)} (${sql.join(names, sql`, `)}) values (${sql.join(values, sql`, `)})`,
    );
    expect([table, await countNaming(table)]).toEqual([table, 1]);
  }
  expect(owned.size).toBeGreaterThan(25);
  await gone('goes');
  const left: string[] = [];
  for (const table of new Set(rows.map(({ table }) => table))) if ((await countNaming(table)) > 0) left.push(table);
  expect(left).toEqual([]);
});

test('a candidate that a person injected is deleted with the research, also if it never began', async () => {
  await insertStory(bench.db, 'goes');
  const own = { hash: hashOf('injected'), content: Buffer.from('injected') };
  await bench.db.insert(blobs).values(own);
  const candidateId = hashOf('injected c');
  await bench.db.insert(candidates).values({ id: candidateId, immutableHash: 'i', files: { 'train.mjs': own.hash } });
  await bench.db.insert(wantedRuns).values({ researchId: 'goes', kind: 'search', candidateId });
  await stop('goes');
  await gone('goes');
  expect(await bench.db.select().from(candidates).where(eq(candidates.id, candidateId))).toEqual([]);
  expect(await bench.db.select().from(blobs).where(eq(blobs.hash, own.hash))).toEqual([]);
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
