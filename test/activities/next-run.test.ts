import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createMonitorActivities } from '../../activities/monitor.ts';
import { createNextRunActivities, type NextRun } from '../../activities/next-run.ts';
import { runs } from '../../db/schema.ts';
import type { RunRef } from '../../infra/compute.ts';
import { insertResearch } from '../cli/support/lineage.ts';
import { insertSlots, useDatabase } from '../db/support.ts';

const bench = useDatabase();
const END = { reason: 'exit', exitCode: 3, signal: null };

/** Inserts a server whose runs up to that placement have ended just now. */
async function insertServer(id: string, last: number): Promise<void> {
  const { db, store } = bench;
  await insertResearch(db, `task of ${id}`);
  await store.job.openJob({
    id,
    kind: 'server',
    taskHash: 'task-1',
    pool: id,
    priority: 1,
    spec: { shape: 'without-an-end', command: 'x', ready: 'y', restart: { firstSeconds: 10, mostSeconds: 60 } },
  });
  for (let placement = 0; placement <= last; placement += 1)
    await db.insert(runs).values({
      jobId: id,
      placement,
      host: 'here',
      slotId: 's',
      fence: placement,
      end: END,
      endedAt: new Date(),
    });
}

/** The next run by a worker that cannot remove the `stuck` directories, and the placements that it removes. */
async function nextOf(jobId: string, stuck: number[] = []): Promise<{ next: NextRun; removed: number[] }> {
  const removed: number[] = [];
  const remove = ({ placement }: RunRef): Promise<void> =>
    stuck.includes(placement)
      ? Promise.reject(new Error('it is nested too deep'))
      : Promise.resolve(void removed.push(placement));
  const deps = { store: bench.store, hosts: { computeOf: () => ({ remove }) }, reach: () => undefined };
  const { nextRun } = createNextRunActivities(deps as unknown as ActivityDeps);
  const next: NextRun = await new MockActivityEnvironment().run(nextRun, { jobId });
  return { next, removed };
}

test('a server begins at once, and after an end in the next placement, after the rest of its pause', async () => {
  await insertServer('server/a/first', -1);
  const first = await nextOf('server/a/first');
  expect(first.next).toEqual({ placement: 0, isHeld: false, pauseSeconds: 0, last: null });
  const id = 'server/a/next';
  await insertServer(id, 1);
  const { next } = await nextOf(id);
  expect(next).toMatchObject({ placement: 2, isHeld: false, last: 'ended with exit code 3 on here' });
  expect(next.pauseSeconds).toBeGreaterThan(10);
  expect(next.pauseSeconds).toBeLessThanOrEqual(20);
  const since = async (seconds: number) => {
    await bench.db.execute(
      sql`update runs set ended_at = now() - make_interval(secs => ${seconds}) where trial_id = ${id}`,
    );
    return (await nextOf(id)).next.pauseSeconds;
  };
  const rest = await since(15);
  expect(rest).toBeGreaterThan(0);
  expect(rest).toBeLessThanOrEqual(5);
  expect(await since(3600)).toBe(0);
  // The clock of the database was put back.
  expect(await since(-3600)).toBe(20);
});

test('a server that dies once it serves begins ever later, until it has served for the longest pause', async () => {
  const id = 'server/a/crashes';
  await insertServer(id, 2);
  const served = (seconds: number) =>
    bench.db.execute(
      sql`update runs set ready_at = ended_at - make_interval(secs => ${seconds}) where trial_id = ${id}`,
    );
  await served(59);
  expect((await nextOf(id)).next.pauseSeconds).toBeGreaterThan(30);
  await served(60);
  const { pauseSeconds } = (await nextOf(id)).next;
  expect(pauseSeconds).toBeGreaterThan(0);
  expect(pauseSeconds).toBeLessThanOrEqual(10);
});

test('the last three runs of a server stay, older ones are removed once, and a failure is tried again', async () => {
  const id = 'server/a/older';
  await insertServer(id, 6);
  expect((await nextOf(id, [2])).removed).toEqual([3, 1, 0]);
  expect((await nextOf(id, [2])).removed).toEqual([]);
  expect((await nextOf(id)).removed).toEqual([2]);
});

test('the output of older runs goes though their hosts are away, and the next run waits a few seconds', async () => {
  const id = 'server/a/away';
  const { db, store } = bench;
  await insertServer(id, 6);
  for (let placement = 0; placement <= 6; placement += 1)
    await db.execute(sql`insert into outputs values (${id}, ${placement}, 0, 'said')`);
  const asked: number[] = [];
  let fail: (error: Error) => void = () => undefined;
  let isBegun = (): void => undefined;
  const begun = new Promise<void>((resolve) => (isBegun = resolve));
  const remove = ({ placement }: RunRef): Promise<void> => {
    asked.push(placement);
    isBegun();
    return new Promise((_, reject) => (fail = reject));
  };
  const deps = { store, hosts: { computeOf: () => ({ remove }) }, reach: () => undefined };
  const { nextRun } = createNextRunActivities(deps as unknown as ActivityDeps, () => begun);
  expect(await new MockActivityEnvironment().run(nextRun, { jobId: id })).toMatchObject({ placement: 7 });
  const kept = await db.execute(sql`select placement from outputs where job_id = ${id} order by placement`);
  expect(kept.rows.map((row) => row['placement'])).toEqual([4, 5, 6]);
  fail(new Error('its host is gone'));
  await new Promise(setImmediate);
  expect(asked).toEqual([3]);
});

test('a server that holds a slot goes on with it, and nothing of it is removed', async () => {
  const id = 'server/a/held';
  await insertServer(id, 6);
  await insertSlots(bench.db, id, 1);
  await bench.store.slot.offerSlot({ pool: id, host: id, holder: 'w' });
  await bench.store.slot.leaseSlot({ jobId: id, slotId: `${id}/0`, holder: 'w' });
  const { next, removed } = await nextOf(id);
  expect(next).toMatchObject({ placement: 6, isHeld: true, pauseSeconds: 0 });
  expect(removed).toEqual([]);
});

test('a lost answer that a server is ready is given again without its host', async () => {
  const id = 'server/a/ready';
  await insertServer(id, 0);
  const at = '2026-01-02T03:04:05.000Z';
  await bench.db.execute(sql`update runs set ready_at = ${at}, "end" = null, ended_at = null where trial_id = ${id}`);
  const computeOf = () => expect.unreachable('the host was asked');
  const deps = { store: bench.store, hosts: { computeOf }, scoring: {} } as unknown as ActivityDeps;
  const { awaitReady } = createMonitorActivities(deps, null);
  const answer = await new MockActivityEnvironment().run(awaitReady, { jobId: id, placement: 0 });
  expect(answer).toEqual({ state: 'ready', host: 'here', at });
});
