import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { loadLaunchableJob } from '../../../activities/launch/launchable-job.ts';
import { insertSlots, insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();

/** Leases a free slot of the pool for a trial. */
async function lease(pool: string, jobId: string): Promise<{ jobId: string; host: string; fence: number }> {
  const slotId = (await bench.store.slot.offerSlot({ pool, host: pool, holder: 'w' })) ?? '';
  const { fence = 0 } = (await bench.store.slot.leaseSlot({ jobId, slotId, holder: 'w' })) ?? {};
  return { jobId, host: pool, fence };
}
const besideOf = async (leased: { jobId: string; host: string; fence: number }): Promise<string[]> =>
  (await bench.store.run.findOtherJobsOnHost(leased)).map(({ jobId }) => jobId);

test('the other jobs on a host have a run that has begun, or an earlier lease without a wait', async () => {
  await insertTrials(bench.db, 'beside', 3);
  await insertSlots(bench.db, 'beside', 3);
  const first = await lease('beside', 'beside/1');
  const second = await lease('beside', 'beside/2');
  const third = await lease('beside', 'beside/3');
  expect(await Promise.all([first, second, third].map(besideOf))).toEqual([[], ['beside/1'], ['beside/1', 'beside/2']]);

  await bench.store.run.noteWait({ jobId: 'beside/1', waitsFor: 'room on b' });
  expect(await besideOf(third)).toEqual(['beside/2']);
  await bench.store.run.noteWait({ jobId: 'beside/1', waitsFor: null });
  expect(await besideOf(third)).toEqual(['beside/1', 'beside/2']);

  const leased = await bench.store.slot.findLease('beside/3');
  await bench.store.run.beginRun({ jobId: 'beside/3', placement: 0, lease: leased! });
  expect(await bench.store.run.findOtherJobsOnHost(first)).toMatchObject([{ jobId: 'beside/3', placement: 0 }]);
  await bench.store.slot.freeSlot(third);
  expect(await besideOf(first)).toEqual([]);
  expect(await besideOf({ ...first, host: 'elsewhere' })).toEqual([]);
});

test('a command does not count beside a trial while it waits for room itself', async () => {
  await insertTrials(bench.db, 'room', 1);
  await insertSlots(bench.db, 'room', 2);
  const id = 'command/toy/room';
  await bench.store.job.openJob({
    id,
    kind: 'command',
    taskHash: 'task-1',
    pool: 'room',
    priority: 1,
    spec: { shape: 'to-an-end', command: 'true' },
  });
  await lease('room', id);
  const trial = await lease('room', 'room/1');
  const waiting = async () => (await loadLaunchableJob({ store: bench.store } as ActivityDeps, id)).waits;
  expect([await besideOf(trial), await waiting()]).toEqual([[id], false]);
  await bench.store.run.noteWait({ jobId: id, waitsFor: 'room on b' });
  expect([await besideOf(trial), await waiting()]).toEqual([[], true]);
  await bench.store.run.noteWait({ jobId: id, waitsFor: null });
  expect([await besideOf(trial), await waiting()]).toEqual([[id], false]);
});
