import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readLeftover } from '../../../db/reads/read-leftover.ts';
import { runs, trials } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { insertReadyTrial, useDatabase } from '../queries/support.ts';

const bench = useDatabase();

test('a fleet tells of runs on hosts that left it, and of researches whose pool has no host', async () => {
  const { store, db } = bench;
  const fleetOf = (...names: string[]): Fleet =>
    Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: names.map((name) => ({ name, pool: 'lab' })) });
  await store.applyFleet(fleetOf('a', 'b'));
  const trialId = await insertReadyTrial(db, 'lab');
  await db.insert(runs).values({ trialId, placement: 0, host: 'a', slotId: 'a/lab/0', fence: 1 });
  expect(await readLeftover(db)).toEqual({ running: [], poolless: [] });
  await store.applyFleet(fleetOf('b'));
  expect(await readLeftover(db)).toEqual({ running: [{ host: 'a', trial: trialId }], poolless: [] });
  await store.applyFleet(fleetOf());
  expect(await readLeftover(db)).toMatchObject({ poolless: [{ research: 'lab', pool: 'lab' }] });
  await db.update(runs).set({ endedAt: new Date() }).where(eq(runs.trialId, trialId));
  await db.update(trials).set({ status: 'completed' }).where(eq(trials.id, trialId));
  expect(await readLeftover(db)).toEqual({ running: [], poolless: [] });
});
