import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../../activities/monitor.ts';
import { runs, slots } from '../../../db/schema.ts';
import type { StoredEnd } from '../../../activities/collect.ts';
import type { FailureLabel } from '../../../domain/trial.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { useDatabase } from '../../db/queries/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();
/** Seconds since its launch. */
const AGO = 20;
let n = 100;

/** A run for which a worker stored that stop and died, on a host that has lost it, or that cannot be asked any more. */
async function lostAfter(
  label: FailureLabel | null,
  how: 'lost' | 'away' | 'away in the end' = 'lost',
  of = 'decided',
): Promise<[MonitorResult, MonitorInput]> {
  const key = await insertLaunched(bench.db, of, { kind: 'search', n: (n += 1), fence: n, ago: AGO });
  const slot = { id: `fake/${n}`, pool: 'local', host: 'fake', index: n, fence: n };
  await bench.db.insert(slots).values({ ...slot, state: 'leased', trialId: key.trialId });
  const stop = label && { label, message: 'stopped at 35 %' };
  await bench.db.update(runs).set({ stop }).where(eq(runs.trialId, key.trialId));
  const compute = {
    ...scriptedHost().compute,
    kill: () => (how === 'away in the end' ? Promise.reject(new Error('no route')) : Promise.resolve()),
    doubt: () => undefined,
    follow: async function* () {
      if (how === 'away') throw new Error('no route');
      yield await Promise.resolve({ type: 'lost' });
    },
  };
  const deps = {
    ...{
      store: { ...bench.store, hostAway: () => Promise.resolve(1e6), hostFailed: () => Promise.resolve() },
      computeOf: () => compute,
      isOwnHost: () => true,
    },
    hostFault: (error: Error) => (error.message === 'no route' ? error.message : null),
    ...{ isRunGone: () => false, hostAnswers: () => false, heardSecondsAgo: () => null, lostAfter: () => 600 },
    ...{ freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }), withinTime, reach: () => undefined },
  } as unknown as ActivityDeps;
  return [await new MockActivityEnvironment().run(createMonitorActivities(deps, null).monitor, key), key];
}

describe('a run whose machine died before it was stopped', () => {
  test('is over as decided where that was for what it printed itself, once it is seen gone', async () => {
    await insertKnownRuns(bench.db, 'decided', {});
    for (const label of ['cannot-win', 'not-finite', 'diverged'] as const) {
      const [result, key] = await lostAfter(label);
      expect(result).toEqual({ state: 'ended' });
      const began = new Date(Date.now() - AGO * 1000).getTime();
      const { end, endedAt, stop } = (await bench.store.findRun(key)) ?? {};
      expect({ stop, end, closed: endedAt !== null }).toMatchObject({
        ...{ stop: { label }, closed: true },
        end: { reason: 'killed', wallSeconds: expect.closeTo(AGO, -1) as number },
      });
      expect(Math.abs(Date.parse((end as StoredEnd).startedAt) - began)).toBeLessThan(10_000);
      expect(await bench.store.findLease(key.trialId)).toBeUndefined();
    }
  });

  test('is lost where the clock alone spoke against it, and where nobody could see it gone', async () => {
    for (const label of ['stalled', 'too-slow', null] as const)
      expect((await lostAfter(label))[0]).toEqual({ state: 'lost' });
    // Whether it had its core to itself nobody knows.
    await insertKnownRuns(bench.db, 'decided-cpu', { budget: { kind: 'cpu' }, known: 0 });
    expect((await lostAfter('cannot-win', 'lost', 'decided-cpu'))[0]).toEqual({ state: 'lost' });
    expect((await lostAfter('diverged', 'lost', 'decided-cpu'))[0]).toEqual({ state: 'ended' });
    for (const how of ['away', 'away in the end'] as const) {
      const [result, key] = await lostAfter('cannot-win', how);
      expect(result).toEqual({ state: 'lost' });
      // Open: a look at the host ends it before a slot is lent again.
      expect(await bench.store.findRun(key)).toMatchObject({ end: null, endedAt: null });
      expect(await bench.store.findOrphans('fake')).toContainEqual({ ...key, fence: n });
    }
  });
});
