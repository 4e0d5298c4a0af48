import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { OBSERVERS } from '../../../activities/outcome/observers.ts';
import { settle } from '../../../activities/outcome/settle.ts';
import { saveRunEnd } from '../../../db/run/save-end.ts';
import type { Store } from '../../../db/store.ts';
import { insertReadyTrial, useDatabase } from '../support.ts';

const bench = useDatabase();
const ending = { end: { reason: 'killed' }, logTail: '', seconds: 2.5, artefacts: [], first: true };

/** Begins a run on a slot. Returns its key with its follower, and the lease. */
async function running(id: string) {
  const trialId = await insertReadyTrial(bench.db, id);
  const slotId = (await bench.store.slot.offerSlot({ pool: id, host: id, holder: 'w' })) ?? '';
  const lease = await bench.store.slot.leaseSlot({ jobId: trialId, slotId, holder: 'w' });
  if (!lease) throw new Error(`expected a free slot in ${id}`);
  const key = { jobId: trialId, placement: 0 };
  await bench.store.run.beginRun({ ...key, lease });
  const followed = await bench.store.run.becomeFollower(key);
  return { ...key, lease, follower: followed?.follower ?? -1 };
}

const outcome = (researchId: string) => ({
  ...({ trialId: `${researchId}/1`, researchId, status: 'lost', failure: null } as const),
  value: null,
  metrics: {},
  evaluatorNotes: null,
  trusted: true,
});
const spent = async (id: string) => (await bench.store.research.findResearch(id))?.slotSeconds;

test('the seconds of an end that is stored after the outcome are charged once', async () => {
  const run = await running('after');
  await settle(bench.store, outcome('after'));
  expect(await spent('after')).toBe(0);
  expect(await bench.store.run.saveRunEnd({ ...run, ...ending })).toBe(true);
  expect(await spent('after')).toBe(2.5);
  expect(await bench.store.run.saveRunEnd({ ...run, ...ending })).toBe(false);
  // Storing the end again charges nothing more.
  expect(await bench.store.run.saveRunEnd({ ...run, ...ending, first: false })).toBe(true);
  expect(await spent('after')).toBe(2.5);
});

test('the seconds of an end that is stored before the outcome are charged with the outcome', async () => {
  const run = await running('before');
  await bench.store.run.saveRunEnd({ ...run, ...ending });
  expect(await spent('before')).toBe(0);
  await settle(bench.store, outcome('before'));
  expect(await spent('before')).toBe(2.5);
});

test('an end that comes while the outcome is written waits for it, and is charged once', async () => {
  const run = await running('beside');
  let saving: Promise<boolean> | undefined;
  const other = bench.another();
  await settle(bench.store, outcome('beside'), [
    ...OBSERVERS,
    async () => {
      saving = other.run.saveRunEnd({ ...run, ...ending });
      const waits = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await expect.poll(async () => (await bench.db.execute(waits)).rows.length, { timeout: 10_000 }).toBe(1);
      return {};
    },
  ]);
  expect(await saving).toBe(true);
  expect(await spent('beside')).toBe(2.5);
});

test('an end that comes while a verdict on its trial is written causes no deadlock', async () => {
  const run = await running('ruled');
  await settle(bench.store, outcome('ruled'));
  const other = bench.another();
  const saving = await bench.store.withResearch('ruled', async (tx) => {
    const saved = other.run.saveRunEnd({ ...run, ...ending });
    const waits = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await bench.db.execute(waits)).rows.length, { timeout: 10_000 }).toBe(1);
    await tx.trial.writeRuling({ researchId: 'ruled', n: 1, verdict: 'discard', reason: 'by hand' });
    return { saved };
  });
  expect(await saving.saved).toBe(true);
  expect(await spent('ruled')).toBe(2.5);
});

test.each(['beginRun', 'markLaunched'] as const)('an end that comes beside %s causes no deadlock', async (name) => {
  const { lease, ...run } = await running(`again-${name}`);
  const other = bench.another();
  const begin = { beginRun: () => other.run.beginRun({ ...run, lease }), markLaunched: () => launched(other) };
  const launched = (store: Store) => store.run.markLaunched({ ...run, fence: lease.fence });
  const { saved, begun } = await bench.db.transaction(async (tx) => {
    // Locks the row of the trial, which the end locks first.
    await tx.execute(sql`select 1 from trials where id = ${run.jobId} for no key update`);
    const begun = begin[name]();
    begun.catch(() => undefined);
    const waits = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await bench.db.execute(waits)).rows.length, { timeout: 10_000 }).toBe(1);
    return { saved: await saveRunEnd(tx, { ...run, ...ending }), begun };
  });
  expect(saved).toBe(true);
  expect(await begun).toBe(true);
  expect((await bench.store.run.findRun(run))?.end).toEqual(ending.end);
});

test('the end of a later placement does not change the charge for an earlier one', async () => {
  const run = await running('given-up');
  await bench.store.run.saveRunEnd({ ...run, ...ending, seconds: 100 });
  const { jobId } = run;
  const { fence = 0 } = (await bench.store.slot.findLease(jobId)) ?? {};
  await bench.store.run.freeSlotOfPlacement(run);
  const slotId = (await bench.store.slot.offerSlot({ pool: 'given-up', host: 'given-up', holder: 'w' })) ?? '';
  const lease = await bench.store.slot.leaseSlot({ jobId, slotId, holder: 'w' });
  expect(lease?.fence).toBeGreaterThan(fence);
  if (!lease) throw new Error('expected a free slot');
  const next = { jobId, placement: 1 };
  await bench.store.run.beginRun({ ...next, lease });
  const { follower = -1 } = (await bench.store.run.becomeFollower(next)) ?? {};
  await settle(bench.store, outcome('given-up'));
  expect(await spent('given-up')).toBe(100);
  expect(await bench.store.run.saveRunEnd({ ...next, follower, ...ending, seconds: 30 })).toBe(true);
  expect(await spent('given-up')).toBe(100);
  expect((await bench.store.trial.loadTrial(jobId)).seconds).toBe(100);
  expect((await bench.store.run.findRun(next))?.end).toEqual(ending.end);
});
