import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { killControl } from '../../../../infra/compute/local/kill.ts';
import { readEnd } from '../../../../infra/compute/local/attempt/read-end.ts';
import { startSupervisor, writeControl } from '../../../../infra/compute/local/supervise.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
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

const groupsOf = (pid: number | undefined): string[] =>
  spawnSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', `perpetua-${pid}-*`], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean);

test('a run removes its control group at its end, and that of a killed supervisor at its start', async ({ skip }) => {
  const first = await begin('killed', 'echo up; while :; do sleep 4713; done');
  const leftovers = groupsOf(first.process.pid);
  first.process.kill('SIGKILL');
  await first.exited;
  await killControl(first.control);
  skip(leftovers.length === 0, 'no control group can be made here');
  // A run of a parallel test may have removed the group already.
  const second = await begin('next', 'echo up; sleep .5');
  const [secondGroup] = groupsOf(second.process.pid);
  expect(leftovers.map((group) => existsSync(group))).toEqual([false]);
  expect(secondGroup).toBeDefined();
  await second.exited;
  expect(existsSync(secondGroup ?? '')).toBe(false);
  expect(await readEnd(second.control)).toMatchObject({ reason: 'exit', exitCode: 0 });
});
