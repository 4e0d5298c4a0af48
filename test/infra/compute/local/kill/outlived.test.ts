import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { RunRef } from '../../../../../infra/compute.ts';
import { createLocalCompute } from '../../../../../infra/compute/local.ts';
import { processMark } from '../../../../../infra/compute/run-protocol/process-mark.ts';
import { layoutOf, runDirectory } from '../../../../../infra/compute/run-protocol/paths.ts';
import { isRunning } from '../../../../support/process/is-running.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-outlived-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const installation = 'outlived-tests';
const compute = createLocalCompute({ home, installation });
const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const directoryOf = (run: RunRef): string => runDirectory(layoutOf(home, installation), run);

let count = 0;
/** Makes the directory of a run that ended as a process group and may have survivors; returns the run and its mark. */
function ended({ mark, treeGone = false, boot = BOOT }: { mark?: string; treeGone?: boolean; boot?: string } = {}) {
  const run = { jobId: `outlived/${(count += 1)}`, placement: 0 };
  const control = join(directoryOf(run), '1', 'ctl');
  mkdirSync(join(control, 'claim'), { recursive: true });
  writeFileSync(join(control, 'claim', 'owner'), `4194303 1 ${boot} 1\n`);
  const marker = mark ?? processMark(control);
  const work = join(directoryOf(run), '1', 'work');
  writeFileSync(join(control, 'spec'), `containment='process-group'\nmark='${marker}'\nwork='${work}'\n`);
  const end = {
    reason: 'killed',
    code: 137,
    startedAt: '2026-01-01T00:00:00Z',
    wallCs: 1,
    user: '0m0s',
    system: '0m0s',
    maxRssKb: 0,
    ticks: 0,
    containment: 'process-group',
    sandboxed: 0,
    treeGone,
  };
  writeFileSync(join(control, 'ended.json'), `${JSON.stringify(end)}\n`);
  return { run, mark: marker };
}

/** Starts a process that has the run's mark and nothing else in common with the run; returns its pid. */
async function marked(mark: string): Promise<number> {
  const child = spawn('bash', ['-c', `ulimit -x ${mark} && echo up && exec sleep 4864`], { env: {} });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child.pid ?? 0;
}

test('a process that a supervisor could not end is ended before its run directory is removed', async () => {
  const { run, mark } = ended();
  const pid = await marked(mark);
  await compute.remove(run);
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(existsSync(directoryOf(run))).toBe(false);
});

test('a sweep reports a surviving process on a dry run, and ends it otherwise', async () => {
  const { run, mark } = ended();
  const pid = await marked(mark);
  const all = { keep: [], olderThanSeconds: 0 };
  const planned = await compute.sweep({ ...all, dryRun: true });
  expect(planned.killed).toHaveLength(1);
  expect([isRunning(pid), existsSync(directoryOf(run))]).toEqual([true, true]);
  expect(await compute.sweep({ ...all, dryRun: false })).toEqual(planned);
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(existsSync(directoryOf(run))).toBe(false);
});

test.each([
  ['its whole tree was gone', { treeGone: true }],
  ['the machine was rebooted since', { boot: '00000000-0000-0000-0000-000000000000' }],
])('no process of a run is searched for if %s', async (_, options) => {
  const { run, mark } = ended(options);
  const pid = await marked(mark);
  await compute.remove(run);
  expect(isRunning(pid)).toBe(true);
});

// A dry run, which only counts: a search by less than a whole mark could match all processes of the user.
test.each(['', 'unlimited', '10000000000000', '1             0'])(
  'no process is searched for by less than a whole mark: "%s"',
  async (mark) => {
    const { run } = ended({ mark });
    await marked('10000000000000');
    expect((await compute.sweep({ keep: [], olderThanSeconds: 0, dryRun: true })).killed).toEqual([]);
    rmSync(directoryOf(run), { recursive: true });
  },
);
