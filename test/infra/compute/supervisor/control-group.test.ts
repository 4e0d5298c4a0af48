import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { dropGroups } from '../../../../infra/compute/local/sweep.ts';
import { killControl } from '../../../../infra/compute/local/kill.ts';
import { readEnd } from '../../../../infra/compute/local/attempt/read-end.ts';
import { startSupervisor, writeControl } from '../../../../infra/compute/local/supervise.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { isRunning } from '../../../support/process/is-running.ts';
import { LIMITS } from '../conformance/support.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-group-'));
const supervisor = fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Starts a run and returns once it has printed a line. */
async function begin(name: string, command: string) {
  const at = (part: string): string => join(base, name, '1', part);
  const [control, work, tmp, root] = [at('ctl'), at('work'), at('tmp'), at('root')];
  for (const folder of [work, tmp, root]) mkdirSync(folder, { recursive: true });
  await writeControl(control, {
    control,
    work,
    tmp,
    root,
    fence: 1,
    talk: false,
    command,
    limits: LIMITS,
    confinement: PROCESS_GROUP,
    env: { PATH: '/usr/bin:/bin', HOME: work },
    uid: null,
    show: [],
    hide: [],
    supervisor,
  });
  const started = await startSupervisor(supervisor, control, { talk: false });
  await expect.poll(() => readFileSync(join(control, 'output'), 'utf8')).toMatch(/\n$/);
  return { control, ...started };
}

/** Control groups of a supervisor. */
const groupsOf = (pid: number | undefined): string[] =>
  spawnSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', `perpetua-*-${pid}-*`], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean);

/** Kills the supervisor of a run whose command goes on; returns its groups and the pid of the command. */
async function loseSupervisor(name: string) {
  const run = await begin(name, 'echo $$; while :; do sleep 4713; done');
  const groups = groupsOf(run.process.pid);
  run.process.kill('SIGKILL');
  await run.exited;
  return { ...run, groups, command: Number(readFileSync(join(run.control, 'output'), 'utf8')) };
}

test('a run removes its control groups at its end, and those of a killed supervisor at its start', async ({ skip }) => {
  const first = await loseSupervisor('killed');
  await killControl(first.control);
  skip(first.groups.length === 0, 'no control group can be made here');
  // A run of a parallel test may have removed the groups already.
  const second = await begin('next', 'echo up; sleep .5');
  const ofSecond = groupsOf(second.process.pid);
  expect(first.groups.filter((group) => existsSync(group))).toEqual([]);
  expect(ofSecond.length).toBeGreaterThan(0);
  await second.exited;
  expect(ofSecond.filter((group) => existsSync(group))).toEqual([]);
  expect(await readEnd(second.control)).toMatchObject({ reason: 'exit', exitCode: 0 });
});

test('a sweep removes the groups of a killed supervisor once their processes have ended', async ({ skip }) => {
  const lost = await loseSupervisor('swept');
  skip(lost.groups.length === 0, 'no control group can be made here');
  const compute = createLocalCompute({ home: join(base, 'home'), installation: 'group-tests' });
  const sweep = () => compute.sweep({ keep: [], olderThanSeconds: 0, dryRun: false });
  await sweep();
  // These processes may be those of another installation.
  expect(isRunning(lost.command)).toBe(true);
  expect(lost.groups.filter((group) => !existsSync(group))).toEqual([]);
  await killControl(lost.control);
  await expect
    .poll(async () => {
      await sweep();
      return lost.groups.filter((group) => existsSync(group));
    })
    .toEqual([]);
});

test('a group whose supervisor lives, or is invisible from here, stays', async ({ skip }) => {
  const living = await begin('living', 'echo up; while :; do sleep 4714; done');
  const [group] = groupsOf(living.process.pid);
  skip(group === undefined, 'no control group can be made here');
  // Another pid namespace began with another process 1. This group is as young as one that its run has not joined yet.
  const foreign = group?.replace(/-\d+(-\d+-\d+)$/, '-1$1') ?? '';
  mkdirSync(foreign);
  try {
    await dropGroups(supervisor);
    expect([group, foreign].map((at) => existsSync(at ?? ''))).toEqual([true, true]);
  } finally {
    rmdirSync(foreign);
    await killControl(living.control);
  }
});
