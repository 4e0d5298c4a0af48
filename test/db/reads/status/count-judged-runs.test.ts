import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { countJudgedRuns, readAbortTally } from '../../../../db/reads/status/count-judged-runs.ts';
import { taskVersions } from '../../../../db/schema.ts';
import { insertResearch, TASK } from '../../../cli/support/lineage.ts';
import { abortRecord, insertEnded, abortWish } from '../../../support/database/insert-ended.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

const tallied = async (id: string) =>
  readAbortTally(bench.db, { researchId: id, versions: new Map() }, await countJudgedRuns(bench.db, id));

async function insertVersion(hash: string, direction: 'minimize' | 'maximize', errorTarget: number): Promise<void> {
  await insertResearch(bench.db, `of-${hash}`);
  const [row] = await bench.db
    .select()
    .from(taskVersions)
    .where(sql`hash = 'task-1'`);
  if (!row) throw new Error('expected the task of the tests');
  const task = { ...TASK, metric: { ...TASK.metric, direction }, abort: { ...TASK.abort, errorTarget } };
  await bench.db.insert(taskVersions).values({ ...row, hash, task });
}

test('a research without judged runs has no tally', async () => {
  await insertResearch(bench.db, 'unjudged');
  await insertEnded(bench.db, ['unjudged', 1]);
  expect(await tallied('unjudged')).toBeNull();
});

test('a stopped run saves its remaining time at its pace, and an audited one saves nothing', async () => {
  await insertResearch(bench.db, 'saved');
  const early = { ...abortWish(false), share: 0.25, elapsed: 10 };
  for (const n of [1, 2]) await insertEnded(bench.db, ['saved', n], { status: 'aborted', value: null, abort: early });
  await insertEnded(bench.db, ['saved', 3], { abort: { ...early, audited: true, auditProbability: 0.5 } });
  // The share at the stop is unknown, or the run was at its end.
  for (const [n, share] of [null, 0, 1].entries())
    await insertEnded(bench.db, ['saved', 4 + n], { status: 'aborted', value: null, abort: { ...early, share } });
  expect(await tallied('saved')).toMatchObject({
    stopped: 5,
    savedSeconds: 60,
    audit: { audited: 1, wrong: 0 },
  });
});

test('an audited run that failed by itself ended badly; the end of one that a person stopped is unknown', async () => {
  await insertResearch(bench.db, 'failing');
  for (const [n, status] of (['diverged', 'crashed', 'timed_out', 'aborted', 'lost'] as const).entries())
    await insertEnded(bench.db, ['failing', n + 1], { status, value: null, abort: abortWish(true) });
  expect(await tallied('failing')).toMatchObject({ stopped: 0, audit: { audited: 3, wrong: 0 } });
});

test('runs of an older task version count by its own direction and target', async () => {
  await insertVersion('upwards', 'maximize', 0.04);
  await insertResearch(bench.db, 'versions');
  const taskHash = 'upwards';
  // The value 2 is worse than 1 to minimize, and better to maximize.
  for (const n of [1, 2, 3]) await insertEnded(bench.db, ['versions', n], { abort: abortWish(true) });
  for (const n of [4, 5]) await insertEnded(bench.db, ['versions', n], { taskHash, abort: abortRecord() });
  await insertEnded(bench.db, ['versions', 6], { taskHash, abort: abortWish(true) });
  const found = await tallied('versions');
  expect(found).toMatchObject({ stopped: 0, audit: { audited: 4, wrong: 1 } });
  expect(found?.audit.falseAborts).toBeCloseTo(1 / 3, 10);
});

test('a version from before early abort counts by the default target', async () => {
  await insertVersion('old', 'minimize', 0.06);
  await bench.db.execute(sql`update task_versions set task = task - 'abort' where hash = 'old'`);
  await insertResearch(bench.db, 'aged');
  await insertEnded(bench.db, ['aged', 1], { taskHash: 'old', abort: abortWish(true) });
  expect(await tallied('aged')).toMatchObject({ audit: { audited: 1, wrong: 0 } });
});

test('a version without a target counts by the default of today, which its rule uses', async () => {
  // Two audits, both wrong: surely above 2 %, but not surely above 6 %.
  const wrong = { value: 0.5, abort: abortWish(true) };
  const { abort, ...silent } = TASK;
  for (const [hash, text, verdict] of [
    ['silent', silent, 'above target'],
    ['said', { ...silent, abort: { ...abort, errorTarget: 0.06 } }, 'too few to say'],
  ] as const) {
    await insertVersion(hash, 'minimize', 0.06);
    await bench.db.execute(sql`update task_versions set yaml = ${JSON.stringify(text)} where hash = ${hash}`);
    await insertResearch(bench.db, hash);
    for (const n of [1, 2]) await insertEnded(bench.db, [hash, n], { taskHash: hash, ...wrong });
    expect(await tallied(hash)).toMatchObject({ audit: { wrong: 2, verdict } });
  }
});
