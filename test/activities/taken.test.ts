import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createLaunchActivities } from '../../activities/launch.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { SlotTakenError } from '../../infra/compute.ts';
import { createFakeCompute } from '../../infra/compute/fake.ts';
import { insertReadyTrial, useDatabase } from '../db/support.ts';

const bench = useDatabase();
const TAKEN = 'host box: GPU-0 is held by another installation of Perpetua (theirs)';

test('a slot whose GPU another installation took waits for a probe, and its trial goes elsewhere', async () => {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { box: { slots: 'gpu' } }, hosts: [{ name: 'box', pool: 'box' }] }));
  const jobId = await insertReadyTrial(bench.db, 'box', 2);
  const offer = async (): Promise<string | undefined> =>
    store.slot.offerSlot({ pool: 'box', host: 'box', holder: 'w' });
  const slotId = await offer();
  const compute = { ...createFakeCompute({ host: 'box' }), launch: () => Promise.reject(new SlotTakenError(TAKEN)) };
  const deps = {
    store,
    hosts: {
      computeOf: () => compute,
      coresOf: () => 1,
      hardwareOf: async () => null,
      envOf: () => ({}),
      isOwnHost: () => false,
      memoryOf: () => null,
    },
    machine: { environment: {} },
    pools: { takeOffer: () => ({ slotId, holder: 'w' }) },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { launch } = createLaunchActivities(deps);
  const launched = await new MockActivityEnvironment().run(launch, { jobId, placement: 0 });
  expect(launched).toEqual({ state: 'elsewhere', host: 'box' });
  expect(await store.slot.findLease(jobId)).toBeUndefined();
  expect((await store.host.findHosts())[0]).toMatchObject({ note: TAKEN, quarantinedUntil: null, failures: 0 });
  const other = await offer();
  expect([slotId, other].sort()).toEqual(['box/0', 'box/1']);
  expect(await offer()).toBeUndefined();
});
