import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createMonitorActivities } from '../../../../activities/monitor.ts';
import { createOverdue } from '../../../../activities/monitor/follow/overdue.ts';
import { backstopSeconds, runLimits } from '../../../../domain/job/run-limits.ts';
import { runs } from '../../../../db/schema.ts';
import type { Compute, RunState } from '../../../../infra/compute.ts';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { attemptOf, layoutOf, runDirectory } from '../../../../infra/compute/run-protocol/paths.ts';
import { withinTime } from '../../../../infra/within-time.ts';
import { TASK } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { bytes, specOf } from '../../../infra/compute/conformance/support.ts';
import { isRunning } from '../../../support/process/is-running.ts';
import { insertKnownRuns, insertLaunched } from '../support/known-runs.ts';

const bench = useDatabase();

test('a run whose supervisor is suspended is ended long after its limit, by the clock of its host', async () => {
  const home = mkdtempSync(join(tmpdir(), 'perpetua-overdue-'));
  const compute = createLocalCompute({ home, installation: 'overdue' });
  await insertKnownRuns(bench.db, 'overdue', {});
  const key = await insertLaunched(bench.db, 'overdue', { kind: 'search' });
  await compute.stage('stage1', [{ path: 'main.txt', content: bytes('') }]);
  await compute.launch({ ...specOf('echo up; exec sleep 4516'), ...key, fence: 1, sandbox: 'none' });
  const { ctl } = attemptOf(runDirectory(layoutOf(home, 'overdue'), key), 1);
  const pidIn = (file: string): number => Number(readFileSync(join(ctl, file), 'utf8').split(' ')[0]);
  await expect.poll(() => readFileSync(join(ctl, 'output'), 'utf8')).toBe('up\n');
  const [supervisor, init] = [pidIn('claim/owner'), pidIn('init')];
  process.kill(supervisor, 'SIGSTOP');
  const depsOn = (machine: Compute) =>
    ({
      store: bench.store,
      hosts: { computeOf: () => machine, isOwnHost: () => true },
      machine: { freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }) },
      scoring: { withinTime },
      reach: () => undefined,
    }) as unknown as ActivityDeps;
  const attempts: Promise<unknown>[] = [];
  /** Starts another attempt. Returns its result, or that of `byThen` if it comes first. */
  const follow = async (machine: Compute, byThen: Promise<unknown>): Promise<unknown> => {
    const following = new MockActivityEnvironment().run(createMonitorActivities(depsOn(machine), null).monitor, key);
    attempts.push(following.catch(() => undefined));
    return Promise.race([following, byThen]);
  };
  const soon = async (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 2500, 'under way'));
  let kills = 0;
  const counting: Compute = { ...compute, kill: (which, fence) => ((kills += 1), compute.kill(which, fence)) };
  const saying = (seconds: number | undefined): Compute => ({
    ...counting,
    inspect: async (which) => ({ ...(await compute.inspect(which)), seconds }) as RunState,
  });
  // The run is not overdue before its time.
  expect(await follow(saying(86_400), soon())).toBe('under way');
  await bench.db
    .update(runs)
    .set({ launchedAt: new Date(Date.now() - 86_400_000) })
    .where(eq(runs.jobId, key.jobId));
  // The clock of the database was put forward. The host knows the true time, or this attempt has just begun.
  for (const machine of [counting, saying(undefined)]) expect(await follow(machine, soon())).toBe('under way');
  expect(kills).toBe(0);
  expect(await follow(saying(86_400), new Promise(() => undefined))).toEqual({ state: 'lost' });
  expect([supervisor, init].map(isRunning)).toEqual([false, false]);
  await Promise.all(attempts);
  rmSync(home, { recursive: true, force: true });
}, 120_000);

test.each([
  ['a day ago', 86_400],
  ['tomorrow, by a clock that was put back', -86_400],
])(
  'a run whose host cannot say for how long it runs is ended once all of its time has passed here: launched %s',
  async (_, secondsAgo) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let kills = 0;
    const compute = {
      inspect: () => Promise.resolve({ state: 'running' } as const),
      kill: () => Promise.resolve(void (kills += 1)),
    };
    const watched = {
      compute,
      limits: runLimits(TASK),
      run: { fence: 1, secondsAgo },
    };
    const overdue = createOverdue({ ...watched, key: { jobId: 'a/1', placement: 0 } }, (error) => {
      throw error;
    });
    const lookAfter = async (seconds: number): Promise<number> => {
      vi.advanceTimersByTime(seconds * 1000);
      overdue.markPolled();
      await overdue.done();
      return kills;
    };
    const limits = runLimits(TASK);
    expect(await lookAfter(1)).toBe(0);
    // Other processes may have kept the run from a CPU up to the backstop.
    expect(await lookAfter((backstopSeconds(limits) ?? NaN) + limits.graceSeconds + 110)).toBe(0);
    expect(await lookAfter(70)).toBe(1);
    expect(overdue.why()).toContain('did not end it at its limit');
    vi.useRealTimers();
  },
);

test('a run without a limit is never overdue, and its host is not asked', async () => {
  const asked = () => Promise.reject(new Error('asked'));
  const overdue = createOverdue(
    {
      compute: { inspect: asked, kill: asked },
      limits: { wallSeconds: null, graceSeconds: 1 },
      run: { fence: 1, secondsAgo: 1e9 },
      key: { jobId: 'server/a/x', placement: 0 },
    },
    (error) => {
      throw error;
    },
  );
  overdue.markPolled();
  await overdue.done();
  expect(overdue.why()).toBeUndefined();
});
