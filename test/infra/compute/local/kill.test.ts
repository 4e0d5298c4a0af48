import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import {
  confinements,
  PROCESS_GROUP,
  type Confinement,
} from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { killControl, livingControls } from '../../../../infra/compute/local/kill.ts';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { attemptOf, layoutOf, runDirectory } from '../../../../infra/compute/run-protocol/paths.ts';
import { stateOf } from '../../../../infra/compute/local/attempt/state.ts';
import { startSupervisor, writeControl } from '../../../../infra/compute/local/supervise.ts';
import { isRunning } from '../../../support/process/is-running.ts';
import { LIMITS, specOf } from '../conformance/support.ts';

const base = mkdtempSync(join(tmpdir(), "perpetua kill's-"));
const supervisor = fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Starts a run that leaves its session and kills its supervisor; returns the process of the run that survives. */
async function loseSupervisor(confinement: Confinement, uid: number | null) {
  const attempt = attemptOf(join(base, confinement.containment), 1);
  const root = join(attempt.directory, 'root');
  for (const folder of [attempt.work, attempt.tmp, root]) mkdirSync(folder, { recursive: true });
  if (uid !== null) chownSync(attempt.work, uid, uid);
  await writeControl(attempt.ctl, {
    control: attempt.ctl,
    work: attempt.work,
    tmp: attempt.tmp,
    root,
    fence: 1,
    talk: false,
    command: `setsid env -i /bin/sh -c 'echo $$; exec /bin/sleep 4510' & wait`,
    env: { PATH: '/usr/bin:/bin', HOME: attempt.work },
    limits: LIMITS,
    confinement,
    uid,
    show: [],
    hide: [],
    supervisor,
  });
  const { process: child } = await startSupervisor(supervisor, attempt.ctl, { talk: false });
  const output = (): string => readFileSync(join(attempt.ctl, 'output'), 'utf8');
  await expect.poll(output).toMatch(/^\d+\n$/);
  child.kill('SIGKILL');
  await expect.poll(async () => (await stateOf(attempt.ctl)).state).toBe('lost');
  return { attempt, survivor: Number(output()) };
}

it('skips a conversation that was half made when its worker died', async () => {
  const compute = createLocalCompute({ home: join(base, 'half'), installation: 'half' });
  await compute.stage('stage', []);
  const spec = { ...specOf('true'), stageHash: 'stage' };
  await compute.launch(spec);
  await expect.poll(async () => (await compute.inspect(spec)).state).toBe('ended');
  const run = runDirectory(layoutOf(join(base, 'half'), 'half'), spec);
  mkdirSync(join(attemptOf(run, spec.fence).directory, 'talk-half', 'tmp'), { recursive: true });
  await compute.kill(spec, spec.fence);
  await compute.remove(spec);
  expect(existsSync(run)).toBe(false);
});

const byUid = confinements(true, true).find(({ containment }) => containment === 'uid');
const settings: [Confinement | undefined, number | null][] = [[PROCESS_GROUP, null]];
if (process.getuid?.() === 0) settings.push([byUid, 61_101]);

it.each(settings)('ends processes of a lost run that no namespace held ($containment)', async (confinement, uid) => {
  if (!confinement) throw new Error('expected a confinement by uid');
  const { attempt, survivor } = await loseSupervisor(confinement, uid);
  expect(isRunning(survivor)).toBe(true);
  expect(await livingControls([attempt])).toEqual([attempt.ctl]);
  await killControl(attempt.ctl);
  expect(isRunning(survivor)).toBe(false);
  expect(await livingControls([attempt])).toEqual([]);
  // A second kill is harmless, and writes no end.
  await killControl(attempt.ctl);
  expect((await stateOf(attempt.ctl)).state).toBe('lost');
});
