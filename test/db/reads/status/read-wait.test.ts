import { inArray } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { preparationWait } from '../../../../domain/fleet/preparing.ts';
import { runs, slots } from '../../../../db/schema.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { readStatus } from '../../../../db/reads/read-status.ts';
import { readQueue } from '../../../../db/reads/status/read-queue.ts';
import { readWaits } from '../../../../db/reads/status/read-wait.ts';
import { BASELINE, insertResearch, trialRow, storeTrials } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

const statusOf = async (researchId: string) => {
  const research = await readResearch(bench.db, { researchId });
  const status = research && (await readStatus(bench.db, { research }));
  return status && { phase: status.phase, reason: status.reason, wait: status.wait };
};

/** Inserts a research: trials 1 and 2 hold a slot, 3 waits for one, and 4 has no candidate yet. */
async function insertWaiting(id: string): Promise<void> {
  await insertResearch(bench.db, id, { lastN: 4 });
  const ready = { candidateId: BASELINE, readyAt: new Date(), pool: id };
  await storeTrials(
    bench.db,
    [1, 2, 3, 4].map((n) => trialRow(id, n, n === 4 ? {} : { ...ready, waitsFor: 'what was before' })),
  );
  const slot = { pool: id, host: 'here', state: 'leased' as const };
  await bench.db
    .insert(slots)
    .values([1, 2].map((n) => ({ ...slot, id: `${id}-${n}`, index: n, jobId: `${id}/${n}`, fence: n })));
  for (const n of [1, 2])
    await bench.store.run.noteWait({ jobId: `${id}/${n}`, waitsFor: 'room on here: disk: 0 MiB' });
}

const begin = async (id: string, n: number): Promise<void> => {
  const lease = await bench.store.slot.findLease(`${id}/${n}`);
  expect(lease && (await bench.store.run.beginRun({ jobId: `${id}/${n}`, placement: 0, lease }))).toBe(true);
};

test('a research is waiting if all its trials wait for room on their slots, with the reason', async () => {
  await insertWaiting('full');
  expect(await statusOf('full')).toEqual({
    phase: 'waiting',
    reason: '2 trials wait for room on here: disk: 0 MiB',
    wait: { trials: 2, why: 'room on here: disk: 0 MiB' },
  });
});

test('a research is running if one trial makes progress, with the wait of the others', async () => {
  await insertWaiting('half');
  await begin('half', 1);
  const wait = { trials: 1, why: 'room on here: disk: 0 MiB' };
  expect(await statusOf('half')).toEqual({ phase: 'running', reason: null, wait });
  await begin('half', 2);
  expect(await statusOf('half')).toEqual({ phase: 'running', reason: null, wait: null });
});

test('the note of a launch that slept until its run was launched is ignored', async () => {
  await insertWaiting('slept');
  for (const n of [1, 2]) await begin('slept', n);
  await bench.db
    .update(runs)
    .set({ launchedAt: new Date() })
    .where(inArray(runs.jobId, ['slept/1', 'slept/2']));
  await bench.store.run.noteWait({ jobId: 'slept/1', waitsFor: 'room on here: disk: 0 MiB' });
  expect(await statusOf('slept')).toEqual({ phase: 'running', reason: null, wait: null });
});

test('a lost run is no progress while its trial waits for room for the next', async () => {
  await insertWaiting('lost');
  const lost = { placement: 0, host: 'here', slotId: 's', fence: 0, shortage: 'disk: 0 MiB', endedAt: new Date() };
  await bench.db.insert(runs).values([1, 2].map((n) => ({ ...lost, jobId: `lost/${n}` })));
  expect(await statusOf('lost')).toMatchObject({ phase: 'waiting', wait: { trials: 2 } });
});

test('a research that a person paused is paused, whatever its trials wait for', async () => {
  await insertWaiting('paused');
  await bench.store.research.recordPhase({
    researchId: 'paused',
    phase: 'paused',
    reason: 'by hand',
    window: 1,
    activeSeconds: 0,
  });
  expect(await statusOf('paused')).toMatchObject({ phase: 'paused', reason: 'by hand', wait: { trials: 2 } });
});

test('the waits of all researches are one read, each under its own research', async () => {
  await insertWaiting('first');
  await insertWaiting('second');
  await begin('second', 1);
  await bench.store.run.noteWait({ jobId: 'second/2', waitsFor: 'room on there' });
  const waits = await readWaits(bench.db);
  expect(waits.get('first')).toEqual({ wait: { trials: 2, why: 'room on here: disk: 0 MiB' }, othersGetOn: false });
  expect(waits.get('second')).toEqual({ wait: { trials: 1, why: 'room on there' }, othersGetOn: true });
});

test('a trial whose host is being prepared waits for the preparation, not for a slot', async () => {
  await insertWaiting('python');
  const waitsFor = preparationWait('Python', 'here');
  await bench.store.run.noteWait({ jobId: 'python/3', waitsFor });
  for (const n of [1, 2]) await begin('python', n);
  expect((await statusOf('python'))?.wait).toEqual({ trials: 1, why: waitsFor });
  expect(await readQueue(bench.db, { researchId: 'python' })).toBeNull();
});
