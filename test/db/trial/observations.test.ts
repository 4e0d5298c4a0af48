import { readFile } from 'node:fs/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { asc, eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createFillKnobsActivities, hasUnread } from '../../../activities/fill-knobs.ts';
import { settle } from '../../../activities/outcome/settle.ts';
import { injectRun } from '../../../activities/research/inject-into.ts';
import { readObservations } from '../../../db/trial/observations.ts';
import { candidateRows } from '../../../db/trial/candidate.ts';
import * as schema from '../../../db/schema.ts';
import { FURTHEST, type Observations, type Reach } from '../../../domain/search/observations.ts';
import { Task } from '../../../domain/task/task.ts';
import type { TrialStatus } from '../../../domain/trial.ts';
import { BASELINE, insertResearch, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const KNOB = 'train.mjs:LR';

/** A research on a task whose only knob is LR, under that version of it. */
async function open(id: string, taskHash = 'knobby'): Promise<void> {
  const task = Task.parse({
    ...TASK,
    knobs: [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0, 100] }],
  });
  const version = { name: 'toy', task, yaml: '', stageHash: 's', evaluatorHash: 'e', metricKey: 'm' };
  await insertResearch(bench.db, id);
  await bench.db
    .insert(schema.taskVersions)
    .values({ ...version, hash: taskHash, immutableHash: 'i', mutablePaths: ['train.mjs'] })
    .onConflictDoNothing();
  await bench.db.update(schema.researches).set({ taskHash }).where(eq(schema.researches.id, id));
}

const fileWith = (lr: number) => ({ 'train.mjs': `const LR = ${lr};\n` });
const candidateOf = (id: string, lr: number) => ({ id: `${id}-${lr}`, immutableHash: 'i', files: fileWith(lr) });

/** A proposal of that value, stored as every proposer stores it. */
async function propose(id: string, n: number, lr: number, taskHash = 'knobby'): Promise<void> {
  await storeTrials(bench.db, trialRow(id, n, { proposer: 'random', taskHash }));
  await bench.store.trial.saveProposal({
    ...{ trialId: `${id}/${n}`, candidate: candidateOf(id, lr), knobs: { [KNOB]: lr } },
    ...{ hypothesis: '', expectedDelta: null, edits: [] },
  });
}

const end = (id: string, n: number, value: number | null, status: TrialStatus = 'completed') =>
  settle(bench.store, {
    ...{ trialId: `${id}/${n}`, researchId: id, status, value, metrics: {}, evaluatorNotes: null, trusted: true },
    failure: status === 'completed' ? null : { label: 'exit-code', message: 'it failed' },
  });

const read = (
  id: string,
  more: Partial<{ reach: Reach; direction: Observations['direction']; taskHash: string }> = {},
) =>
  bench.store.trial.readObservations({
    ...{ researchId: id, taskHash: 'knobby', direction: 'minimize', reach: FURTHEST },
    ...more,
  });
const lrs = (all: readonly { knobs: Readonly<Record<string, unknown>> }[]) => all.map(({ knobs }) => knobs[KNOB]);

test('a candidate is in flight from its proposal on, and observed from its first outcome on', async () => {
  await open('one');
  await propose('one', 1, 3);
  expect(await read('one')).toEqual({
    ...{ direction: 'minimize', best: [], latest: [], total: 0 },
    inFlight: [{ candidateId: 'one-3', knobs: { [KNOB]: 3 } }],
  });
  await bench.db.insert(schema.calls).values({ trialId: 'one/1', turn: 0, model: 'm', request: {}, usd: 0.5 });
  await bench.db.update(schema.trials).set({ seconds: 7 }).where(eq(schema.trials.id, 'one/1'));
  await end('one', 1, 2.5);
  const observed = {
    ...{ candidateId: 'one-3', knobs: { [KNOB]: 3 }, proposer: 'random' },
    ...{ value: 2.5, runs: 1, outcome: 'completed', seconds: 7, usd: 0.5 },
  };
  expect(await read('one')).toEqual({
    ...{ direction: 'minimize', best: [observed], latest: [observed], total: 1, inFlight: [] },
  });
});

test('the best come in the order of their values, the latest in that of their first outcomes, as far as a method reads', async () => {
  await open('many');
  for (const [n, lr] of [4, 1, 3, 2].entries()) await propose('many', n + 1, lr);
  for (const [n, lr] of [4, 1, 3, 2].entries())
    await end('many', n + 1, lr === 3 ? null : lr, lr === 3 ? 'crashed' : 'completed');
  // Run once more: its outcome counts, and its place stays.
  await storeTrials(bench.db, trialRow('many', 5, { kind: 'confirm', candidateId: 'many-4', taskHash: 'knobby' }));
  expect(await read('many')).toMatchObject({ total: 4, inFlight: [] });
  await end('many', 5, 2);
  const all = await read('many');
  expect([lrs(all.best), lrs(all.latest)]).toEqual([
    [1, 2, 4],
    [2, 3, 1, 4],
  ]);
  expect(all.latest.at(-1)).toMatchObject({ value: 3, runs: 2 });
  expect(all.latest[1]).toMatchObject({ value: null, runs: 0, outcome: 'crashed' });
  const some = await read('many', { reach: { best: 1, latest: 2 }, direction: 'maximize' });
  expect([lrs(some.best), lrs(some.latest), some.total]).toEqual([[4], [2, 3], 4]);
  expect(await read('many', { reach: { best: 0, latest: 0 } })).toMatchObject({ best: [], latest: [], total: 4 });
});

test('a copy of a candidate adds nothing, and neither does an outcome that is written again', async () => {
  await open('copy');
  await propose('copy', 1, 3);
  await end('copy', 1, 1);
  await end('copy', 1, 9);
  await propose('copy', 2, 3);
  await end('copy', 2, null, 'cached');
  expect((await read('copy')).latest).toMatchObject([{ value: 1, runs: 1, outcome: 'completed' }]);
});

test('another version of the task has candidates of its own; one that is kept over a change has its knobs read', async () => {
  await open('changed');
  await propose('changed', 1, 3);
  await end('changed', 1, 1);
  await open('other', 'changed-task');
  await storeTrials(
    bench.db,
    trialRow('changed', 2, { kind: 'remeasure', candidateId: 'changed-3', taskHash: 'changed-task' }),
  );
  await end('changed', 2, 5);
  expect((await read('changed')).best).toMatchObject([{ value: 1 }]);
  expect((await read('changed', { taskHash: 'changed-task' })).best).toMatchObject([
    { value: 5, knobs: { [KNOB]: 3 } },
  ]);
});

test("the original's knobs, and those of a person's idea, are known as well", async () => {
  await open('people');
  await storeTrials(bench.db, trialRow('people', 1, { kind: 'baseline', candidateId: BASELINE, taskHash: 'knobby' }));
  await end('people', 1, 1);
  await injectRun(bench.store, {
    ...{ researchId: 'people', taskHash: 'knobby', key: 'k', parentId: BASELINE, hypothesis: '' },
    ...{ candidate: candidateOf('people', 8), knobs: { [KNOB]: 8 } },
  });
  await storeTrials(bench.db, trialRow('people', 2, { kind: 'injected', candidateId: 'people-8', taskHash: 'knobby' }));
  const { latest, inFlight } = await read('people');
  expect([lrs(latest), lrs(inFlight), latest[0]?.proposer]).toEqual([[0.1], [8], null]);
});

test('candidates of an older version are counted by the migration, and their knobs read once, in batches', async () => {
  await open('old');
  for (const [n, value] of [3, 1, 2].entries()) await propose('old', n + 1, value + 10);
  await end('old', 1, 3);
  await end('old', 2, 1);
  await end('old', 3, null, 'crashed');
  await storeTrials(bench.db, trialRow('old', 4, { kind: 'confirm', candidateId: 'old-13', taskHash: 'knobby' }));
  await end('old', 4, 4);
  await propose('old', 5, 15);
  const stored = () =>
    bench.db.query.observations.findMany({
      where: eq(schema.observations.researchId, 'old'),
      orderBy: asc(schema.observations.candidateId),
    });
  const kept = await stored();
  const more = candidatesFrom(20, 130);
  await bench.db
    .insert(schema.blobs)
    .values(more.flatMap(({ blobs }) => blobs))
    .onConflictDoNothing();
  await bench.db.insert(schema.candidates).values(more.map(({ candidate }) => candidate));
  await bench.db.execute(sql`delete from observations`);
  const [, , , , , backfill = ''] = (await readFile('db/migrations/0035_observations.sql', 'utf8')).split(
    '--> statement-breakpoint',
  );
  await bench.db.execute(sql.raw(backfill));
  expect(await stored()).toEqual(kept.map((row) => ({ ...row, knobs: null })));
  await bench.db
    .insert(schema.observations)
    .values(more.map(({ candidate: { id } }) => ({ researchId: 'old', taskHash: 'knobby', candidateId: id })));

  const research = { id: 'old', taskHash: 'knobby' };
  const { fillKnobs } = createFillKnobsActivities(bench);
  const fill = () => new MockActivityEnvironment().run(fillKnobs, { researchId: 'old' });
  expect([await hasUnread(bench, research), await fill(), await hasUnread(bench, research)]).toEqual([
    ...[true, { left: true }, true],
  ]);
  expect([await fill(), await hasUnread(bench, research), await fill()]).toEqual([
    ...[{ left: false }, false, { left: false }],
  ]);
  const filled = await stored();
  expect(filled.filter(({ candidateId }) => kept.some((row) => row.candidateId === candidateId))).toEqual(kept);
  expect(filled).toHaveLength(kept.length + more.length);
});

/** Candidates as an older version stored them: rows of their own, whose files are contents by hash. */
const candidatesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const { candidate, contents } = candidateRows(candidateOf('old', first + i));
    return { candidate, blobs: contents.map((content) => ({ hash: candidate.files['train.mjs'] ?? '', content })) };
  });

test('the best and the latest are each one scan of an index that reads no more rows than are asked for', async () => {
  await open('large');
  await bench.db.execute(sql`
    insert into observations (research_id, task_hash, candidate_id, knobs, seq, value, runs, outcome)
    select 'large', 'knobby', 'c' || n, '{}', n, (n * 7919) % 50000, 1, 'completed' from generate_series(1, 50000) n`);
  await bench.db.execute(sql`analyze observations`);
  const counted = await bench.db.transaction(async (tx) => {
    const { total, best, latest } = await readObservations(tx, {
      ...{ researchId: 'large', taskHash: 'knobby', direction: 'minimize', reach: FURTHEST },
    });
    expect([total, best.length, latest.length]).toEqual([50_000, 100, 1000]);
    const { rows } = await tx.execute<{ seqScan: number; tuples: number }>(
      sql`select seq_scan::int as "seqScan", idx_tup_fetch::int as tuples from pg_stat_xact_user_tables where relname = 'observations'`,
    );
    return rows[0];
  });
  expect(counted?.seqScan).toBe(0);
  expect(counted?.tuples).toBeLessThan(1200);
});
