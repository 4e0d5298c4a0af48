import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createLaunchActivities } from '../../activities/launch.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { HostUnusableError } from '../../infra/compute.ts';
import { createFakeCompute } from '../../infra/compute/fake.ts';
import { insertReadyTrial, useDatabase } from '../db/support.ts';

const bench = useDatabase();

/** Launches a trial on its host, where the launch fails after `meanwhile`. */
async function launchAfter(id: string, meanwhile: (lease: { jobId: string; fence: number }) => Promise<unknown>) {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { [id]: { slots: 'cpu' } }, hosts: [{ name: id, pool: id }] }));
  const jobId = await insertReadyTrial(bench.db, id, 1);
  const slotId = await store.slot.offerSlot({ pool: id, host: id, holder: 'w' });
  const fails = async ({ fence }: { fence: number }): Promise<never> => {
    await meanwhile({ jobId, fence });
    throw new HostUnusableError(id, 'run directory: no such file');
  };
  const deps = {
    store,
    machine: { environment: {} },
    hosts: {
      coresOf: () => 1,
      hardwareOf: async () => null,
      envOf: () => ({}),
      computeOf: () => ({ ...createFakeCompute({ host: id }), launch: fails }),
      isOwnHost: () => false,
      memoryOf: () => null,
    },
    pools: { takeOffer: () => ({ slotId, holder: 'w' }) },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { launch } = createLaunchActivities(deps);
  return new MockActivityEnvironment().run(launch, { jobId, placement: 0 });
}

const failuresOf = async (name: string) =>
  (await bench.store.host.findHosts()).find((host) => host.name === name)?.failures;

test('a host is not blamed for a launch that failed after its trial was abandoned', async () => {
  const givenUp = launchAfter('cleared', (lease) => bench.store.slot.freeSlot(lease));
  await expect(givenUp).rejects.toMatchObject({ type: 'Fenced' });
  expect(await failuresOf('cleared')).toBe(0);
  // The run may have begun nevertheless.
  expect(await bench.store.run.findOrphans('cleared')).toMatchObject([{ jobId: 'cleared/1', placement: 0 }]);
});

test('a host is blamed for a launch that failed while its trial held its slot', async () => {
  expect(await launchAfter('broken', async () => undefined)).toMatchObject({ state: 'elsewhere', host: 'broken' });
  expect(await failuresOf('broken')).toBe(1);
});
