import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../../../activities/monitor.ts';
import { points } from '../../../../db/schema.ts';
import type { Store } from '../../../../db/store.ts';
import { withinTime } from '../../../../infra/within-time.ts';
import type { useDatabase } from '../../../db/support.ts';
import type { ScriptedHost } from './host.ts';

/** Actions of a test on the runs of its database, on scripted hosts. */
export const followsIn = (bench: ReturnType<typeof useDatabase>) => {
  const curveOf = ({ jobId }: MonitorInput) =>
    bench.db.select().from(points).where(eq(points.jobId, jobId)).orderBy(points.seq);
  return {
    /** Follows a run to its end. */
    follow: (host: ScriptedHost, key: MonitorInput, statements: Partial<Store['run']> = {}): Promise<MonitorResult> => {
      const deps = {
        store: { ...bench.store, run: { ...bench.store.run, ...statements } },
        hosts: { computeOf: () => host.compute, isOwnHost: () => true },
        machine: { freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }) },
        scoring: { withinTime },
        reach: () => undefined,
      } as unknown as ActivityDeps;
      return new MockActivityEnvironment().run(createMonitorActivities(deps, null).monitor, key);
    },
    curveOf,
    /** Waits until so many steps are committed. */
    untilCommitted: async (key: MonitorInput, steps: number): Promise<void> => {
      for (let seen = 0; seen < steps; await sleep(50)) seen = (await curveOf(key)).length;
    },
    stopOf: async (key: MonitorInput) => (await bench.store.run.findRun(key))?.stop?.label ?? null,
  };
};
