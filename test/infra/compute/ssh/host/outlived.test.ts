import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processMark } from '../../../../../infra/compute/run-protocol/process-mark.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { host, SHELLS } from '../support/host-call.ts';

const DAY = 86_400;
const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

interface Options {
  /** Mark in the spec of the run; default: the whole mark of its control directory. */
  mark?: string;
  treeGone?: boolean;
  boot?: string;
  containment?: string;
}

/** Makes the directory of a run that ended long ago, as its supervisor left it; returns the mark of the run. */
function ended(box: ReturnType<typeof host>, name: string, options: Options = {}): string {
  const run = join(box.runs, name);
  const control = join(run, '1', 'ctl');
  const { mark = processMark(control), treeGone = false, boot = BOOT, containment = 'process-group' } = options;
  mkdirSync(join(control, 'claim'), { recursive: true });
  writeFileSync(join(control, 'claim', 'owner'), `4194303 1 ${boot} 1\n`);
  writeFileSync(join(control, 'spec'), `containment='${containment}'\nmark='${mark}'\n`);
  const end = join(control, 'ended.json');
  writeFileSync(end, `{"reason":"killed","containment":"${containment}","treeGone":${treeGone}}\n`);
  for (const path of [end, run]) utimesSync(path, Date.now() / 1000 - 20 * DAY, Date.now() / 1000 - 20 * DAY);
  return mark;
}

/** Starts a process that has the run's mark and nothing else in common with the run; returns its pid. */
async function marked(mark: string): Promise<number> {
  const child = spawn('bash', ['-c', `ulimit -x ${mark} && echo up && exec sleep 4863`], { env: {} });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child.pid ?? 0;
}

const WAYS = {
  'by hand': ['sweep', 3600, 0],
  'as it expires': ['expire', 14 * DAY, 1e9],
} as const;

describe.each(SHELLS)('a process that a supervisor could not end (%s)', (shell) => {
  it.each(Object.entries(WAYS))('is ended before its run directory is removed %s', async (_, words) => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0'));
    on.call(...words);
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(existsSync(join(on.runs, 'left.0'))).toBe(false);
  });

  it('is ended before its run directory is removed after the end of its trial', async () => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0'));
    expect(on.call('remove', 'left.0')).toEqual(['done']);
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(existsSync(join(on.runs, 'left.0'))).toBe(false);
  });

  it('is reported and not touched on a dry run', async () => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0'));
    expect(on.call('sweep', 3600, 1)).toContain('swept 1 left.0');
    expect(isRunning(pid)).toBe(true);
    expect(existsSync(join(on.runs, 'left.0'))).toBe(true);
  });

  it.each([
    ['the whole tree of its run was gone', { treeGone: true }],
    ['its host was rebooted since', { boot: '00000000-0000-0000-0000-000000000000' }],
    ['a namespace held its run', { containment: 'pid-namespace' }],
  ])('is not searched for if %s', async (_, options: Options) => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0', options));
    expect(on.call('sweep', 3600, 0)).toContain('swept 0 left.0');
    expect(isRunning(pid)).toBe(true);
  });

  // A dry run, which only counts: a search by less than a whole mark could match all processes of the user.
  it.each(['', 'unlimited', '10000000000000', '1             0', '1*************0'])(
    'is not searched for by less than a whole mark: "%s"',
    async (mark) => {
      const on = host(shell);
      const stranger = await marked('10000000000000');
      ended(on, 'left.0', { mark });
      expect(on.call('sweep', 3600, 1)).toContain('swept 0 left.0');
      expect(isRunning(stranger)).toBe(true);
    },
  );
});
