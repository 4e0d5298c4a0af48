import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities, type MonitorResult } from '../../../activities/monitor.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { FollowEvent } from '../../../infra/compute.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { insertSlots, useDatabase } from '../../db/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();

test('a host that loses runs in a row is quarantined with their reason, unless a run ends there', async () => {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { box: { slots: 'gpu' } }, hosts: [{ name: 'box', pool: 'box' }] }));
  await insertKnownRuns(bench.db, 'holes', {});
  await insertSlots(bench.db, 'box', 9);
  let [doubts, n] = [0, 100];
  /** Launches a run there and follows it to this event, or else to its end. */
  const over = async (event?: FollowEvent, diesAfterRelease = false): Promise<MonitorResult> => {
    const key = await insertLaunched(bench.db, 'holes', { kind: 'search', n: (n += 1), host: 'box', fence: 0 });
    const slotId = (await store.slot.offerSlot({ pool: 'box', host: 'box', holder: 'w' })) ?? '';
    const lease = await store.slot.leaseSlot({ jobId: key.jobId, slotId, holder: 'w' });
    if (!lease) throw new Error('Expected a lease');
    await store.run.beginRun({ ...key, lease });
    const host = scriptedHost();
    if (!event) host.end();
    const compute = {
      ...host.compute,
      forgetConfinement: () => (doubts += 1),
      ...(event && {
        follow: async function* () {
          yield await Promise.resolve(event);
        },
      }),
    };
    const noteLostRun = (): Promise<void> => Promise.reject(new Error('killed'));
    const deps = {
      store: diesAfterRelease ? { ...store, host: { ...store.host, noteLostRun } } : store,
      hosts: { computeOf: () => compute, isOwnHost: () => false, shortageOf: async () => null },
      scoring: { withinTime },
      reach: () => undefined,
    } as unknown as ActivityDeps;
    const { monitor } = createMonitorActivities(deps, null);
    if (!diesAfterRelease) return new MockActivityEnvironment().run(monitor, key);
    await expect(new MockActivityEnvironment().run(monitor, key)).rejects.toThrow('killed');
    const next = createMonitorActivities({ ...deps, store }, null).monitor;
    return new MockActivityEnvironment().run(next, key);
  };
  const box = async () => (await store.host.findHosts())[0];
  expect(await over({ type: 'lost' })).toEqual({ state: 'lost' });
  expect(await box()).toMatchObject({ failures: 1, quarantinedUntil: null });
  // The loss counts at most once, though the worker dies.
  expect(await over({ type: 'lost' }, true)).toEqual({ state: 'lost' });
  expect(await box()).toMatchObject({ failures: 1, quarantinedUntil: null });
  expect(await over()).toEqual({ state: 'ended' });
  expect(await box()).toMatchObject({ failures: 0 });
  expect(await over({ type: 'lost' })).toEqual({ state: 'lost' });
  expect(await over({ type: 'lost', why: 'the sandbox could not be built' })).toEqual({ state: 'lost' });
  expect(await box()).toMatchObject({
    failures: 2,
    quarantinedUntil: expect.any(Date) as Date,
    lastError: expect.stringMatching(/^run 0 of holes\/\S+ was lost there: the sandbox could not be built$/) as string,
  });
  expect(doubts).toBe(5);
});
