import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readFleetStatus } from '../../../db/reads/fleet/read-fleet.ts';
import { readLeftover } from '../../../db/reads/read-leftover.ts';
import { runs, slots, jobs } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { insertReadyTrial, useDatabase } from '../support.ts';

const bench = useDatabase();

const fleetOf = (...names: string[]): Fleet =>
  Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: names.map((name) => ({ name, pool: 'lab' })) });

test('the leftovers of a fleet are runs on removed hosts, and researches that wait for an empty pool', async () => {
  const { store, db } = bench;
  await store.host.applyFleet(fleetOf('a', 'b'));
  const trialId = await insertReadyTrial(db, 'lab', 0);
  const slot = { id: 'a/lab/0', pool: 'lab', host: 'a', index: 0, fence: 1 };
  await db.insert(slots).values({ ...slot, state: 'leased', jobId: trialId });
  await db.insert(runs).values({ jobId: trialId, placement: 0, host: 'a', slotId: slot.id, fence: 1 });
  expect(await readLeftover(db)).toEqual({ running: [], poolless: [] });
  await store.host.applyFleet(fleetOf('b'));
  expect(await readLeftover(db)).toEqual({ running: [{ host: 'a', trial: trialId }], poolless: [] });
  await store.host.applyFleet(fleetOf());
  expect(await readLeftover(db)).toEqual({ running: [{ host: 'a', trial: trialId }], poolless: [] });
  // The run has ended, and is scored on the host.
  await db.update(runs).set({ endedAt: new Date() });
  expect(await readLeftover(db)).toEqual({ running: [{ host: 'a', trial: trialId }], poolless: [] });
  // The run is lost: no worker follows it any more, and the trial waits for another slot.
  await db.update(slots).set({ state: 'free', jobId: null });
  expect(await readLeftover(db)).toEqual({ running: [], poolless: [{ research: 'lab', pool: 'lab' }] });
  await db.update(jobs).set({ endedAt: new Date() }).where(eq(jobs.id, trialId));
  expect(await readLeftover(db)).toEqual({ running: [], poolless: [] });
});

test('a removed host with a run of unknown end is forgotten a day after its removal and last contact', async () => {
  const { store, db } = bench;
  await store.host.applyFleet(fleetOf('gone'));
  const trialId = await insertReadyTrial(db, 'scrapped', 0);
  await db.insert(runs).values({ jobId: trialId, placement: 0, host: 'gone', slotId: 'gone/lab/0', fence: 1 });
  await store.host.applyFleet(fleetOf());
  const seen = async (): Promise<boolean[]> =>
    [await store.host.findHosts(), await readFleetStatus(db)].map((found) => found.some(({ name }) => name === 'gone'));
  const lastContact = (hours: number) =>
    db.execute(sql`
      update hosts set seen_at = now() - make_interval(hours => ${hours}), applied_at = now() - interval '2 days'
      where name = 'gone'`);
  await lastContact(23);
  expect(await seen()).toEqual([true, true]);
  await lastContact(25);
  expect(await seen()).toEqual([false, false]);
  // A host is never forgotten while a slot of it is held.
  await db
    .insert(slots)
    .values({ id: 'gone/lab/0', pool: 'lab', host: 'gone', index: 0, fence: 1, state: 'leased', jobId: trialId });
  expect(await seen()).toEqual([true, true]);
});
