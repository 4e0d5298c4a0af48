import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processMark } from '../../../../../infra/compute/run-protocol/process-mark.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { host, SHELLS } from '../support/host-call.ts';

const DAY = 86_400;
const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

interface Left {
  /** What its spec says; default: the whole mark of its control directory. */
  mark?: string;
  treeGone?: boolean;
  boot?: string;
  containment?: string;
}

/** The directory of a run that ended long ago, as its supervisor left it; returns its mark. */
function ended(on: ReturnType<typeof host>, name: string, of: Left = {}): string {
  const run = join(on.runs, name);
  const control = join(run, '1', 'ctl');
  const { mark = processMark(control), treeGone = false, boot = BOOT, containment = 'process-group' } = of;
  mkdirSync(join(control, 'claim'), { recursive: true });
  writeFileSync(join(control, 'claim', 'owner'), `4194303 1 ${boot} 1\n`);
  writeFileSync(join(control, 'spec'), `containment='${containment}'\nmark='${mark}'\n`);
  const end = join(control, 'ended.json');
  writeFileSync(end, `{"reason":"killed","containment":"${containment}","treeGone":${treeGone}}\n`);
  for (const path of [end, run]) utimesSync(path, Date.now() / 1000 - 20 * DAY, Date.now() / 1000 - 20 * DAY);
  return mark;
}

/** A process of ours that has this mark, and nothing else of that run. */
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

describe.each(SHELLS)('what a supervisor could not end (%s)', (shell) => {
  it.each(Object.entries(WAYS))('is ended before its run directory is removed %s', async (_, words) => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0'));
    on.call(...words);
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(existsSync(join(on.runs, 'left.0'))).toBe(false);
  });

  it('is ended before its run directory is removed for the trial that is over', async () => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0'));
    expect(on.call('remove', 'left.0')).toEqual(['done']);
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(existsSync(join(on.runs, 'left.0'))).toBe(false);
  });

  it('is told, and nothing of it touched, where nothing shall be removed', async () => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0'));
    expect(on.call('sweep', 3600, 1)).toContain('swept 1 left.0');
    expect(isRunning(pid)).toBe(true);
    expect(existsSync(join(on.runs, 'left.0'))).toBe(true);
  });

  it.each([
    ['all of it was gone', { treeGone: true }],
    ['its host was booted since', { boot: '00000000-0000-0000-0000-000000000000' }],
    ['a namespace held it', { containment: 'pid-namespace' }],
  ])('is not looked for where %s', async (_, of: Left) => {
    const on = host(shell);
    const pid = await marked(ended(on, 'left.0', of));
    expect(on.call('sweep', 3600, 0)).toContain('swept 0 left.0');
    expect(isRunning(pid)).toBe(true);
  });

  // Only counted: one that is looked for by less finds all that its user runs.
  it.each(['', 'unlimited', '10000000000000', '1             0', '1*************0'])(
    'is not looked for by less than a whole mark: "%s"',
    async (mark) => {
      const on = host(shell);
      const stranger = await marked('10000000000000');
      ended(on, 'left.0', { mark });
      expect(on.call('sweep', 3600, 1)).toContain('swept 0 left.0');
      expect(isRunning(stranger)).toBe(true);
    },
  );
});
