import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities } from '../../../activities/monitor.ts';
import { HostUnreachableError, HostUnusableError } from '../../../infra/compute.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { useDatabase } from '../../db/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();

test('an attempt whose host is away for good, and whose run another attempt took over, is retried', async () => {
  await insertKnownRuns(bench.db, 'away', {});
  const key = await insertLaunched(bench.db, 'away', { kind: 'search', n: 100, fence: 100 });
  const deps = {
    store: {
      ...bench.store,
      host: {
        ...bench.store.host,
        noteHostFailure: () => Promise.resolve(),
        // The server heeds the failure of the newest attempt alone: this one.
        secondsSinceContact: async () => {
          await bench.store.run.becomeFollower(key);
          return 1e6;
        },
      },
    },
    hosts: {
      computeOf: () => ({
        ...scriptedHost().compute,
        follow: async function* () {
          yield await Promise.reject(new HostUnreachableError('fake', 'route', { message: 'no route' }));
        },
      }),
      isOwnHost: () => false,
      secondsSinceAnswer: () => null,
      lostAfter: () => 600,
    },
    scoring: { withinTime },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { monitor } = createMonitorActivities(deps, null);
  await expect(new MockActivityEnvironment().run(monitor, key)).rejects.toMatchObject({
    type: 'Fenced',
    nonRetryable: false,
    message: 'another attempt follows away/100',
  });
});

test('a run whose host fails for a moment now and then is followed on, if hours go well in between', async () => {
  await insertKnownRuns(bench.db, 'flaps', {});
  const key = await insertLaunched(bench.db, 'flaps', { kind: 'search', n: 100 });
  const deps = {
    store: {
      ...bench.store,
      host: {
        ...bench.store.host,
        noteHostFailure: () => Promise.resolve(),
        secondsSinceContact: () => Promise.resolve(1),
      },
    },
    hosts: {
      computeOf: () => ({
        ...scriptedHost().compute,
        follow: async function* () {
          yield await Promise.reject(new HostUnusableError('fake', 'the disk is full'));
        },
      }),
      isOwnHost: () => false,
      secondsSinceAnswer: () => 1,
      lostAfter: () => 600,
    },
    scoring: { withinTime },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { monitor } = createMonitorActivities(deps, null);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const began = Date.now();
  for (let n = 0; n < 15; n += 1) {
    vi.setSystemTime(began + n * 2 * 3_600_000);
    await expect(new MockActivityEnvironment().run(monitor, key)).rejects.toMatchObject({ type: 'HostAway' });
  }
});
