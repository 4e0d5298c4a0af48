import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities } from '../../../activities/monitor.ts';
import { runs } from '../../../db/schema.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { attemptOf, layoutOf, runDirectory } from '../../../infra/compute/run-protocol/paths.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { useDatabase } from '../../db/queries/support.ts';
import { bytes, specOf } from '../../infra/compute/conformance/support.ts';
import { isRunning } from '../../support/is-running.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();

test('a run whose supervisor is stopped, by itself perhaps, is ended long after its limit, and lost', async () => {
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
  const deps = {
    ...{ store: bench.store, computeOf: () => compute, isOwnHost: () => true, hostFault: () => null },
    ...{ freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }), withinTime, reach: () => undefined },
  } as unknown as ActivityDeps;
  const { monitor } = createMonitorActivities(deps, null);
  const following = new MockActivityEnvironment().run(monitor, key);
  // Not before its time.
  await expect(Promise.race([following, new Promise((tell) => setTimeout(tell, 2000, 'under way'))])).resolves.toBe(
    'under way',
  );
  const other = new MockActivityEnvironment();
  await bench.db
    .update(runs)
    .set({ launchedAt: new Date(Date.now() - 86_400_000) })
    .where(eq(runs.trialId, key.trialId));
  expect(await other.run(monitor, key)).toEqual({ state: 'lost' });
  expect([supervisor, init].map(isRunning)).toEqual([false, false]);
  await following.catch(() => undefined);
  rmSync(home, { recursive: true, force: true });
}, 120_000);
