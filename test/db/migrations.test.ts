import { readFile } from 'node:fs/promises';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../activities/outcome/settle.ts';
import { admitTrials } from '../support/database/admit-trials.ts';
import { migrate, NewerSchemaError } from '../../db/migrate.ts';
import { readEvents } from '../../db/reads/read-events.ts';
import * as schema from '../../db/schema.ts';
import { TRIAL_SPEC } from '../../domain/job.ts';
import { BASELINE, insertResearch, trialRow } from '../cli/support/lineage.ts';
import { BEFORE_JOBS, jobsMigration } from '../support/database/before-jobs.ts';
import { versionOf } from '../../activities/task/read-task.ts';
import { loadTask } from '../../tasks/load.ts';
import { GOOD, makeTask } from '../tasks/make-task.ts';
import { insertSlots, useDatabase } from './support.ts';

const bench = useDatabase();

test('0003 counts the past spend of researches of an older version', async () => {
  const { db, store } = bench;
  for (const id of ['young', 'old']) await insertResearch(db, id);
  await db.insert(schema.wantedRuns).values({ researchId: 'old', kind: 'baseline', candidateId: BASELINE });
  const ask = { researchId: 'old', key: 'k', room: 3, activeSeconds: 0, proposals: true };
  const { trials } = await admitTrials(store, ask);
  const sent = { model: 'm', request: {}, workflowRun: 'run', attempt: 1 };
  for (const { trialId } of trials.slice(1)) {
    const call = { trialId, turn: 0 };
    const mark = (await store.call.beginCall({ ...call, ...sent })) ?? '';
    const cost = { tokensIn: 3, tokensOut: null, usd: 0.5, latencySeconds: 1 };
    await store.call.saveAnswer({ ...call, mark, answer: 'a', outcome: null, ...cost });
  }
  await store.call.beginCall({ trialId: 'old/3', turn: 1, ...sent });
  const counted = await db.query.researches.findMany({ orderBy: (row) => row.id });
  expect(counted).toMatchObject([{ admitted: { baseline: 1, search: 2 }, tokens: 6, usd: 1 }, { admitted: {} }]);
  await db.execute(
    sql`alter table researches drop column admitted, drop column tokens, drop column usd, drop column last_change`,
  );
  await db.execute(sql.raw(await readFile('db/migrations/0003_counters.sql', 'utf8')));
  expect(await db.query.researches.findMany({ orderBy: (row) => row.id })).toEqual(counted);
});

test('0036 gives a version with bounds the metric key that its task has now', async () => {
  const folder = await makeTask({
    'task.yaml': GOOD.replace('minimize', 'minimize\n  min: 0\n  max: 9').replace('name: loss', 'name: "lo/s\\"é"'),
  });
  const { hash, ...loaded } = await loadTask(folder);
  await bench.store.task.saveTaskVersion({ ...versionOf({ ...loaded, hash }), metricKey: 'with its bounds' });
  await bench.db.execute(sql.raw(await readFile('db/migrations/0036_metric_key_without_bounds.sql', 'utf8')));
  expect((await bench.store.task.loadTaskVersion(hash)).metricKey).toBe(loaded.metricKey);
});

test('0037 leaves the evaluators of older researches without a sandbox, as long as their task stays', async () => {
  const { db } = bench;
  await insertResearch(db, 'open-evaluator');
  const [version] = await db.select().from(schema.taskVersions).where(eq(schema.taskVersions.hash, 'task-1'));
  if (!version) throw new Error('expected a task version');
  const task = { ...version.task, evaluator: { type: 'none' as const } };
  await db.insert(schema.taskVersions).values({ ...version, hash: 'printed', task });
  await insertResearch(db, 'no-evaluator', { taskHash: 'printed' });
  await db.execute(
    sql`alter table researches drop column open_evaluator_task; alter table trials drop column artefact_code`,
  );
  await db.execute(sql.raw(await readFile('db/migrations/0037_evaluator_sandbox.sql', 'utf8')));
  const { id, openEvaluatorTask: open } = schema.researches;
  const rows = await db.select({ id, open }).from(schema.researches);
  expect(Object.fromEntries(rows.map((row) => [row.id, row.open]))).toMatchObject({
    'open-evaluator': 'task-1',
    'no-evaluator': null,
  });
});

test('jobs are made of the trials of an older version: those under way are open, and go on', async () => {
  const { db, store } = bench;
  await insertResearch(db, 'pulled');
  await insertSlots(db, 'pulled', 1);
  const ask = { researchId: 'pulled', key: 'k', room: 3, activeSeconds: 0, proposals: true };
  await db
    .insert(schema.wantedRuns)
    .values({ researchId: 'pulled', kind: 'injected', candidateId: BASELINE, proposal: {} });
  const { trials } = await admitTrials(store, ask);
  expect(trials.map(({ kind }) => kind)).toEqual(['injected', 'search', 'search']);
  await settle(store, ending('pulled/2'));
  await store.slot.offerSlot({ pool: 'pulled', host: 'pulled', holder: 'w' });
  const lease = await store.slot.leaseSlot({ jobId: 'pulled/1', slotId: 'pulled/0', holder: 'w' });
  const run = { jobId: 'pulled/1', placement: 0 };
  expect(await store.run.beginRun({ ...run, lease: lease ?? expect.unreachable() })).toBe(true);
  const made = await db.query.jobs.findMany({ orderBy: (row) => row.id });
  expect(made.filter(({ researchId }) => researchId === 'pulled')).toMatchObject([
    { id: 'pulled/1', kind: 'trial', priority: 1, spec: TRIAL_SPEC, endedAt: null },
    { id: 'pulled/2', kind: 'trial', priority: 3, endedAt: expect.any(Date) },
    { id: 'pulled/3', endedAt: null },
  ]);
  await db.execute(sql.raw(BEFORE_JOBS));
  await db.execute(sql.raw(await jobsMigration()));
  expect(await db.query.jobs.findMany({ orderBy: (row) => row.id })).toEqual(made);
  expect(await store.run.markLaunched({ ...run, fence: lease?.fence ?? 0 })).toBe(true);
  expect(await store.run.becomeFollower(run)).toMatchObject({ taskHash: 'task-1', settled: false });
  await settle(store, ending('pulled/1'));
  expect(await store.run.becomeFollower(run)).toMatchObject({ settled: true });
  const orphan = sql`insert into runs (trial_id, placement, host, slot_id, fence) values ('nobody', 0, 'h', 's', 1)`;
  await expect(db.execute(orphan)).rejects.toThrow();
});

const ending = (trialId: string) => ({
  ...({ trialId, researchId: 'pulled', status: 'lost', failure: { label: 'infrastructure', message: '' } } as const),
  value: null,
  metrics: {},
  evaluatorNotes: null,
  trusted: true,
});

test('0019 counts seconds on slots, and trials that ran nothing, of researches of an older version', async () => {
  const { db } = bench;
  for (const id of ['ran', 'empty']) await insertResearch(db, id);
  const ended = [
    trialRow('ran', 1, { kind: 'baseline', status: 'completed', seconds: 2 }),
    trialRow('ran', 2, { status: 'cached' }),
    trialRow('ran', 3, { status: 'rejected' }),
    trialRow('ran', 4, { status: 'lost', seconds: 1.5 }),
    trialRow('ran', 5, { seconds: 7 }),
  ];
  await db.insert(schema.trials).values(ended);
  await db.execute(sql`alter table researches drop column slot_seconds, drop column refunded, drop column without_new`);
  await db.execute(sql.raw(await readFile('db/migrations/0019_comparable_budgets.sql', 'utf8')));
  const rows = await db.query.researches.findMany({ orderBy: (row) => row.id });
  expect(rows.filter(({ id }) => ['ran', 'empty'].includes(id))).toMatchObject([
    { id: 'empty', slotSeconds: 0, refunded: {}, withoutNew: 0 },
    { id: 'ran', slotSeconds: 3.5, refunded: { search: 2 }, withoutNew: 0 },
  ]);
});

test('0021 makes the seeds of researches of an older version from their ids, and keeps those of trials', async () => {
  const { db } = bench;
  await insertResearch(db, 'seeded');
  await db.insert(schema.trials).values(trialRow('seeded', 1, { seed: 77 }));
  await db.execute(sql`alter table researches drop column seed_root`);
  await db.execute(sql`alter table trials drop column evaluator_seed, drop column proposer_seed`);
  await db.execute(sql`drop index trials_seed`);
  await db.execute(sql.raw(await readFile('db/migrations/0021_trial_seeds.sql', 'utf8')));
  expect(await db.query.researches.findFirst({ where: (row, { eq }) => eq(row.id, 'seeded') })).toMatchObject({
    seedRoot: 'seeded',
  });
  const trial = await db.query.trials.findFirst({ where: (row, { eq }) => eq(row.id, 'seeded/1') });
  expect(trial).toMatchObject({ seed: 77, evaluatorSeed: null, proposerSeed: null });
});

test('0033 lets task versions of an older version keep their stage, with the mutable files in it', async () => {
  const { db, store } = bench;
  await insertResearch(db, 'staged');
  expect(await store.task.loadTaskVersion('task-1')).toMatchObject({ stagesMutable: false });
  await db.execute(sql`alter table task_versions drop column stages_mutable`);
  await db.execute(sql.raw(await readFile('db/migrations/0033_stages_mutable.sql', 'utf8')));
  const version = await store.task.loadTaskVersion('task-1');
  expect(version).toMatchObject({ stagesMutable: true });
  const loaded: typeof version = { ...version, hash: 'task-3' };
  delete loaded.stagesMutable;
  await store.task.saveTaskVersion({ ...loaded, workspace: [], evaluatorFiles: [] });
  expect(await store.task.loadTaskVersion('task-3')).toMatchObject({ stagesMutable: false });
});

test('a database that a newer version migrated is refused with the fix, and stays unchanged', async () => {
  const { db, url } = bench;
  const done = () => db.execute(sql`select hash, created_at from drizzle.__drizzle_migrations order by id`);
  // This version has migrated the database: a second migration does nothing.
  const before = (await done()).rows;
  await migrate(url);
  expect((await done()).rows).toEqual(before);
  const later = Date.UTC(2100, 0, 1);
  await db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${later})`);
  try {
    const refused = migrate(url);
    await expect(refused).rejects.toBeInstanceOf(NewerSchemaError);
    await expect(refused).rejects.toThrow(
      /found 2100-01-01T00:00:00\.000Z: .* newer Perpetua\. Update Perpetua, or point DATABASE_URL/,
    );
    expect((await done()).rows).toHaveLength(before.length + 1);
  } finally {
    await db.execute(sql`delete from drizzle.__drizzle_migrations where hash = 'later'`);
  }
});

test('events of a database restored from another server are read before those that this server writes', async () => {
  const { db, store, url } = bench;
  const report = (why: string) =>
    store.event.insertEvents([{ kind: 'endpoint-down', researchId: 'restored', data: { why } }]);
  for (const why of ['a', 'b']) await report(why);
  // The transaction id of the other server, which was higher.
  await db.execute(sql`update events set xid = '9000000000' where research_id = 'restored'`);
  await report('c');
  await migrate(url);
  let lines: { data: unknown }[] = [];
  while (lines.length < 3) lines = await readEvents(db, { researchId: 'restored', limit: 9 });
  expect(lines.map(({ data }) => data)).toEqual([{ why: 'a' }, { why: 'b' }, { why: 'c' }]);
});
