import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities } from '../../../activities/monitor.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { shortageIn } from '../../../domain/fleet/lendable-slots.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { insertSlots, useDatabase } from '../../db/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();

/** A probe of the host, with a process of another user on its only GPU. */
const PROBE = {
  gpus: [{ index: 0, uuid: 'GPU-0', name: 'H100', memoryMb: 81_920 }],
  gpuFault: null,
  roomMb: 5000,
  roomFiles: null,
  uses: [{ uuid: 'GPU-0', pid: 7, birth: 1, whose: 'stranger' as const }],
};

test('a run that failed beside others on its GPU is lost, its slot waits for a probe, its host serves', async () => {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { box: { slots: 'gpu' } }, hosts: [{ name: 'box', pool: 'box' }] }));
  await insertKnownRuns(bench.db, 'beside', {});
  await insertSlots(bench.db, 'box', 2);
  const key = await insertLaunched(bench.db, 'beside', { kind: 'search', host: 'box', fence: 0 });
  const offer = async (): Promise<string | undefined> =>
    store.slot.offerSlot({ pool: 'box', host: 'box', holder: 'w' });
  const lease = await store.slot.leaseSlot({ jobId: key.jobId, slotId: (await offer()) ?? '', holder: 'w' });
  if (!lease) throw new Error('Expected a lease');
  await store.run.beginRun({ ...key, lease });
  const host = scriptedHost();
  host.end({ exitCode: 1 });
  const deps = {
    store: {
      ...store,
      slot: { ...store.slot, findLease: async () => ({ ...lease, gpu: 'GPU-0' }) },
    },
    hosts: {
      shortageOf: async (_: string, run: Parameters<typeof shortageIn>[1]) => shortageIn(PROBE, run),
      computeOf: () => host.compute,
      isOwnHost: () => false,
    },
    scoring: { withinTime },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { monitor } = createMonitorActivities(deps, null);
  expect(await new MockActivityEnvironment().run(monitor, key)).toEqual({ state: 'lost' });
  expect(await store.run.findRun(key)).toMatchObject({ shortage: 'in use by others: GPU 0' });
  expect((await store.host.findHosts())[0]).toMatchObject({ quarantinedUntil: null, failures: 0 });
  expect(await store.slot.findLease(key.jobId)).toBeUndefined();
  const other = await offer();
  expect([lease.id, other].sort()).toEqual(['box/0', 'box/1']);
  expect(await offer()).toBeUndefined();
});
