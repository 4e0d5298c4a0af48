import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../../activities/monitor.ts';
import { runs, slots } from '../../../db/schema.ts';
import type { FailureLabel } from '../../../domain/trial.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { useDatabase } from '../../db/queries/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();
let n = 100;

/** A run for which a worker stored that stop and died, on a host that has lost it, or that cannot be asked any more. */
async function lostAfter(label: FailureLabel | null, isAway = false): Promise<[MonitorResult, MonitorInput]> {
  const key = await insertLaunched(bench.db, 'decided', { kind: 'search', n: (n += 1), fence: n });
  const slot = { id: `fake/${n}`, pool: 'local', host: 'fake', index: n, fence: n };
  await bench.db.insert(slots).values({ ...slot, state: 'leased', trialId: key.trialId });
  const stop = label && { label, message: 'stopped at 35 %' };
  await bench.db.update(runs).set({ stop }).where(eq(runs.trialId, key.trialId));
  const compute = {
    ...scriptedHost().compute,
    kill: () => Promise.resolve(),
    follow: async function* () {
      if (isAway) throw new Error('no route');
      yield await Promise.resolve({ type: 'lost' });
    },
  };
  const deps = {
    ...{
      store: { ...bench.store, hostAway: () => Promise.resolve(1e6) },
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
  test.each([
    ['was lost there', false],
    ['is on a host that is away for too long', true],
  ])('is over as decided where that was for what it printed itself, and it %s', async (_, isAway) => {
    if (!isAway) await insertKnownRuns(bench.db, 'decided', {});
    for (const label of ['cannot-win', 'not-finite', 'diverged'] as const) {
      const [result, key] = await lostAfter(label, isAway);
      expect(result).toEqual({ state: 'ended' });
      expect(await bench.store.findRun(key)).toMatchObject({ stop: { label }, end: { reason: 'killed' } });
      expect(await bench.store.findLease(key.trialId)).toBeUndefined();
    }
    for (const label of ['stalled', 'too-slow', null] as const)
      expect((await lostAfter(label, isAway))[0]).toEqual({ state: 'lost' });
  });
});
