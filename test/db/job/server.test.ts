import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readOutput } from '../../../db/job/job.ts';
import { readRuns } from '../../../db/job/read-runs.ts';
import { readNeeded } from '../../../db/reads/read-needed.ts';
import { runs } from '../../../db/schema.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

/** Inserts a server with `count` runs. Each has output, and all but the last have ended. */
async function insertServer(id: string, count: number): Promise<void> {
  const { db, store } = bench;
  await insertResearch(db, `task of ${id}`);
  await store.job.openJob({
    id,
    kind: 'server',
    taskHash: 'task-1',
    pool: 'local',
    priority: 1,
    spec: { shape: 'without-an-end', command: 'x', ready: 'y', restart: { firstSeconds: 1, mostSeconds: 9 } },
  });
  for (let placement = 0; placement < count; placement += 1) {
    const endedAt = placement < count - 1 ? new Date(Date.now() - 60_000) : null;
    await db.insert(runs).values({ jobId: id, placement, host: 'here', slotId: 's', fence: placement, endedAt });
    await db.execute(sql`insert into outputs values (${id}, ${placement}, 0, 'said')`);
  }
}

test('older runs are found until they are removed, the newest first, and their output is dropped before', async () => {
  const id = 'server/a/older';
  const { db, store } = bench;
  await insertServer(id, 5);
  await db.execute(sql`update runs set log_tail = 'said' where trial_id = ${id}`);
  const older = async () =>
    (await store.run.findOlderRuns({ jobId: id, placement: 2 })).map(({ placement }) => placement);
  expect(await older()).toEqual([2, 1, 0]);
  await store.run.noteRemoved({ jobId: id, placement: 1 });
  expect(await older()).toEqual([2, 0]);
  const stored = async () => {
    const outputs = await Promise.all([0, 1, 2].map((placement) => readOutput(db, { jobId: id, placement, from: 0 })));
    const tails = await Promise.all([0, 1, 2].map((placement) => store.run.findRun({ jobId: id, placement })));
    return [outputs.map(({ length }) => length), tails.map((run) => run?.logTail)];
  };
  for (const times of [1, 2]) {
    await store.run.forgetOutputs({ jobId: id, placement: 1 });
    expect([times, await stored()]).toEqual([
      times,
      [
        [0, 0, 1],
        [null, null, 'said'],
      ],
    ]);
  }
  expect(await older()).toEqual([2, 0]);
  const { runs: needed } = await readNeeded(db, { last: 0 });
  const ours = needed.filter(({ jobId }) => jobId === id).map(({ placement }) => placement);
  expect(ours.sort()).toEqual([0, 2, 3, 4, 5]);
});

test('the last run has the number of failures since a good run, and the time since its end', async () => {
  const id = 'server/a/last';
  const { db, store } = bench;
  const last = () => store.job.findLastRun({ jobId: id, goodSeconds: 9 });
  const serves = (placement: number, seconds: number) =>
    db.execute(sql`update runs set ready_at = ended_at - make_interval(secs => ${seconds})
      where trial_id = ${id} and placement = ${placement}`);
  expect(await last()).toBeUndefined();
  await insertServer(id, 4);
  expect(await last()).toMatchObject({ placement: 3, failed: 4, secondsAgo: null, host: 'here' });
  await serves(1, 8);
  expect(await last()).toMatchObject({ failed: 4 });
  await serves(0, 9);
  expect(await last()).toMatchObject({ failed: 3 });
  await db.execute(sql`update runs set ended_at = now() - interval '5 s' where trial_id = ${id} and placement = 3`);
  await serves(3, 1);
  expect(await last()).toMatchObject({ failed: 3 });
  await serves(3, 10);
  const good = await last();
  expect(good).toMatchObject({ failed: 0 });
  expect(good?.secondsAgo).toBeGreaterThanOrEqual(5);
  expect(good?.secondsAgo).toBeLessThan(60);
});

test('placements of a server that never began do not count as failed runs', async () => {
  const id = 'server/a/gaps';
  await insertServer(id, 2);
  await bench.db.execute(sql`update runs set placement = placement + 20 where trial_id = ${id} and placement = 1`);
  expect(await bench.store.job.findLastRun({ jobId: id, goodSeconds: 9 })).toMatchObject({ placement: 21, failed: 2 });
});

test('runs of a server are read from the last one on, which counts as over only while the job is open', async () => {
  const id = 'server/a/read';
  const { db, store } = bench;
  await insertServer(id, 2);
  const read = async (from: number | null) =>
    (await readRuns(db, { jobId: id, from })).map(({ placement, isOver }) => [placement, isOver]);
  expect(await read(null)).toEqual([[1, false]]);
  expect(await read(0)).toEqual([
    [0, true],
    [1, false],
  ]);
  await db.execute(sql`update runs set ended_at = now() where trial_id = ${id}`);
  expect(await read(null)).toEqual([[1, true]]);
  await store.job.closeJob(id, { why: 'cancelled', detail: null });
  expect(await read(null)).toEqual([[1, false]]);
});

test('the end of a job is decided once', async () => {
  const id = 'server/a/ended';
  await insertServer(id, 1);
  const { job } = bench.store;
  expect(await job.findOpenJobs()).toContain(id);
  expect(await job.closeJob(id, { why: 'cancelled', detail: null })).toEqual({ why: 'cancelled', detail: null });
  expect(await job.closeJob(id, { why: 'failed', detail: 'x' })).toEqual({ why: 'cancelled', detail: null });
  expect(await job.findOpenJobs()).not.toContain(id);
  expect(await job.closeJob('server/a/unknown', { why: 'failed', detail: 'x' })).toBeUndefined();
});
