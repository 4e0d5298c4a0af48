import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createLaunchActivities } from '../../activities/launch.ts';
import { createMonitorActivities } from '../../activities/monitor.ts';
import { createReconcileActivities } from '../../activities/reconcile.ts';
import { runs } from '../../db/schema.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { HostGoneError } from '../../infra/compute.ts';
import { useDatabase } from '../db/support.ts';
import { insertKnownRuns, insertLaunched } from './monitor/support/known-runs.ts';

const bench = useDatabase();

const fleetOf = (...names: string[]): Fleet =>
  Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: names.map((name) => ({ name, pool: 'lab' })) });

/** Activities of a worker that knows no host. */
function activities() {
  const deps = {
    store: bench.store,
    hosts: {
      computeOf: (host: string) => {
        throw new HostGoneError(host, 'expected a host of the fleet');
      },
      isOwnHost: (host: string) => host === 'here',
    },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { abandon } = createReconcileActivities(deps);
  const { resume } = createLaunchActivities(deps);
  const { monitor } = createMonitorActivities(deps, null);
  const within = <I, O>(work: (input: I) => Promise<O>, input: I): Promise<O> =>
    new MockActivityEnvironment().run(work, input);
  return {
    stop: (trialId: string) => within(abandon, { trialId, why: 'cancelled' }),
    resumeTrial: async (trialId: string) =>
      within(monitor, { jobId: trialId, ...(await within(resume, { jobId: trialId })) }),
  };
}

/** Inserts a trial whose run was lost with that host: no end is stored, and its slot is free. */
async function lostOn(host: string): Promise<{ jobId: string; placement: number }> {
  await insertKnownRuns(bench.db, host, {});
  return insertLaunched(bench.db, host, { kind: 'search', host });
}

/** Inserts a trial whose run was lost with a host that was taken out of the fleet so long ago. */
async function takenOut(host: string, hours: number): Promise<{ jobId: string; placement: number }> {
  await bench.store.host.applyFleet(fleetOf(host));
  const key = await lostOn(host);
  await bench.store.host.applyFleet(fleetOf());
  const then = sql`now() - make_interval(hours => ${hours})`;
  await bench.db.execute(sql`update hosts set applied_at = ${then}, seen_at = ${then} where name = ${host}`);
  return key;
}

describe('a run without a stored end, on a host that left the fleet more than a day ago', () => {
  test('does not keep its trial from being stopped, and is an orphan once its host is back', async () => {
    const key = await takenOut('scrapped', 25);
    expect(await activities().stop(key.jobId)).toMatchObject({ status: 'aborted' });
    await bench.store.host.applyFleet(fleetOf('scrapped'));
    expect(await bench.store.run.findOrphans('scrapped')).toMatchObject([key]);
  });

  test('is gone with its host if its trial resumes', async () => {
    const { jobId } = await takenOut('sold', 25);
    expect(await activities().resumeTrial(jobId)).toEqual({ state: 'gone' });
  });

  test('is gone with its host if its trial resumes, even if it was closed as lost before', async () => {
    const { jobId } = await takenOut('closed', 1);
    await bench.db
      .update(runs)
      .set({ endedAt: new Date() })
      .where(sql`trial_id = ${jobId}`);
    expect(await activities().resumeTrial(jobId)).toEqual({ state: 'gone' });
  });
});

describe('a run on a host that this worker does not know', () => {
  const refused = { name: 'HostGoneError' };

  test.each([
    { what: 'was taken out less than a day ago', host: 'lately', run: () => takenOut('lately', 23) },
    {
      what: 'is in the fleet: this worker has just begun',
      host: 'serving',
      run: async () => {
        await bench.store.host.applyFleet(fleetOf('serving'));
        return lostOn('serving');
      },
    },
    { what: 'is the own host of another machine', host: 'laptop', run: () => lostOn('laptop') },
  ])('is left to other workers if that host $what', async ({ run }) => {
    const { jobId } = await run();
    await expect(activities().resumeTrial(jobId)).rejects.toMatchObject(refused);
    await expect(activities().stop(jobId)).rejects.toMatchObject(refused);
  });
});
