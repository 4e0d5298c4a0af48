import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { slots, trials } from '../../../db/schema.ts';
import { insertReadyTrial, insertTrials, useDatabase } from './support.ts';

const bench = useDatabase();

const isWanted = (trialId: string): Promise<boolean> => bench.store.isSlotWanted({ trialId });

/** Has the trial hold that slot. */
const lend = (trialId: string, slotId: string, fence: number): Promise<unknown> =>
  bench.db.update(slots).set({ state: 'leased', trialId, fence }).where(eq(slots.id, slotId));

test('a slot is wanted by a trial of another task that waits for one, while none is free', async () => {
  const waits = await insertReadyTrial(bench.db, 'pool', 2);
  await insertTrials(bench.db, 'big', 2);
  const inPool = { pool: 'pool', candidateId: null };
  await bench.db.update(trials).set(inPool).where(eq(trials.researchId, 'big'));
  await lend('big/1', 'pool/0', 1);
  // Of the same task: it could do no more with the slot.
  expect(await isWanted('big/1')).toBe(false);

  const version = { ...(await bench.store.loadTaskVersion('task-1')), hash: 'task-big' };
  await bench.store.saveTaskVersion({ ...version, workspace: [], evaluatorFiles: [] });
  await bench.db.update(trials).set({ taskHash: 'task-big' }).where(eq(trials.researchId, 'big'));
  // The other one is free.
  expect(await isWanted('big/1')).toBe(false);
  await lend('big/2', 'pool/1', 2);
  expect(await isWanted('big/1')).toBe(true);

  await bench.store.noteWait({ trialId: waits, waitsFor: 'room' });
  expect(await isWanted('big/1')).toBe(false);
  await bench.store.noteWait({ trialId: waits, waitsFor: null });
  expect(await isWanted('big/1')).toBe(true);

  await lend(waits, 'pool/1', 3);
  expect(await isWanted('big/1')).toBe(false);
});

test('a slot is not wanted by a trial that has run, and is scored', async () => {
  const scored = await insertReadyTrial(bench.db, 'scored');
  await insertTrials(bench.db, 'other', 1);
  await bench.db.update(trials).set({ pool: 'scored' }).where(eq(trials.id, 'other/1'));
  await lend(scored, 'scored/0', 4);
  const lease = await bench.store.findLease(scored);
  await bench.store.beginRun({ trialId: scored, placement: 0, lease: lease! });
  await lend('other/1', 'scored/0', 5);
  await bench.db.update(trials).set({ taskHash: 'task-big' }).where(eq(trials.id, 'other/1'));
  expect(await isWanted('other/1')).toBe(false);
});
