import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readOutput } from '../../../db/job/job.ts';
import { countOutputs, dropOutputs } from '../../../db/job/drop-outputs.ts';
import type { JobEnding } from '../../../domain/job/ended.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { insertSlots, useDatabase } from '../support.ts';

const bench = useDatabase();
const CHUNK = Buffer.from('four');
const ENDED: JobEnding = { why: 'ended', detail: null };

/** Begins a command on a slot of its pool. */
async function runCommand(id: string): Promise<{ key: { jobId: string; placement: number }; fence: number }> {
  const { db, store } = bench;
  await store.job.openJob({
    id,
    kind: 'command',
    taskHash: 'task-1',
    pool: id,
    priority: 1,
    spec: { shape: 'to-an-end', command: 'true' },
  });
  await insertSlots(db, id, 1);
  await store.slot.offerSlot({ pool: id, host: id, holder: 'w' });
  const lease = await store.slot.leaseSlot({ jobId: id, slotId: `${id}/0`, holder: 'w' });
  const key = { jobId: id, placement: 0 };
  expect(await store.run.beginRun({ ...key, lease: lease ?? expect.unreachable() })).toBe(true);
  return { key, fence: lease?.fence ?? 0 };
}

test('a command is placed, followed and freed like a trial, without a row in trials', async () => {
  const { db, store } = bench;
  await insertResearch(db, 'beside');
  const { key, fence } = await runCommand('command/a');
  expect(await store.run.markLaunched({ ...key, fence })).toBe(true);
  const run = await store.run.becomeFollower(key);
  expect(run).toMatchObject({ taskHash: 'task-1', settled: false, follower: 1 });
  const ending = { ...key, follower: 1, end: { exitCode: 0 }, logTail: '', seconds: 1, artefacts: [] };
  expect(await store.run.saveRunEnd(ending)).toBe(true);
  await store.job.closeJob('command/a', ENDED);
  expect(await store.run.becomeFollower(key)).toMatchObject({ settled: true });
  expect(await store.slot.leaseSlot({ jobId: 'command/a', slotId: null, holder: 'w' })).toBeDefined();
  await db.execute(sql`update jobs set ended_at = now() - interval '1 minute' where id = 'command/a'`);
  expect(await store.run.findStaleLeases()).toEqual([{ ...key, fence }]);
  expect(await store.run.freeSlotOfPlacement(key)).toBe(true);
  expect(await store.run.findLeftoversOn({ host: 'command/a', since: null })).toEqual([{ ...key, host: 'command/a' }]);
});

test('output is stored once, with the offset up to which it was read, and clean removes it', async () => {
  const { db, store } = bench;
  const { key } = await runCommand('command/b');
  const { follower = 0 } = (await store.run.becomeFollower(key)) ?? {};
  const progress = { ...key, follower, from: 0, to: 4, reader: null, points: [], output: CHUNK };
  expect(await store.run.saveProgress(progress)).toBe(true);
  expect(await store.run.saveProgress(progress)).toBe(false);
  expect(await store.run.saveProgress({ ...progress, follower: follower - 1, from: 4, to: 8 })).toBe(false);
  const output = () => readOutput(db, { jobId: 'command/b', placement: 0, from: 0 });
  expect(await output()).toEqual([{ offset: 0, content: CHUNK }]);
  expect(await dropOutputs(db, { olderThanSeconds: 0 })).toBe(0);
  await store.job.closeJob('command/b', ENDED);
  expect(await dropOutputs(db, { olderThanSeconds: 3600 })).toBe(0);
  expect(await countOutputs(db, { olderThanSeconds: 0 })).toBe(1);
  expect(await dropOutputs(db, { olderThanSeconds: 0 })).toBe(1);
  expect(await output()).toEqual([]);
});

test('the lease of a command is abandoned once it is a minute old, unless the command is to be restarted', async () => {
  await runCommand('command/c');
  const abandoned = async () =>
    (await bench.store.slot.findAbandonedLeases({ researchId: 'any', upSeconds: 9e9 })).map(({ jobId }) => jobId);
  expect(await abandoned()).not.toContain('command/c');
  await bench.db.execute(sql`update slots set leased_at = now() - interval '2 minutes' where trial_id = 'command/c'`);
  expect(await abandoned()).toContain('command/c');
  const run = { workflowId: 'command/c', type: 'job' as const, runId: 'old' };
  await bench.store.research.noteRestart({ ...run, start: { args: {}, memo: {} } });
  expect(await abandoned()).not.toContain('command/c');
});
