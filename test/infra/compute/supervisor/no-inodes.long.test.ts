import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killControl, livingControls } from '../../../../infra/compute/local/kill.ts';
import { stateOf } from '../../../../infra/compute/local/attempt/state.ts';
import { startSupervisor, writeControl } from '../../../../infra/compute/local/supervise.ts';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { attemptOf, layoutOf, runDirectory } from '../../../../infra/compute/run-protocol/paths.ts';
import { isRunning } from '../../../support/process/is-running.ts';
import { mountSmallDisk, noSmallDisks, unmount, useUpFiles } from '../../../support/machine/small-disk.ts';
import { followToEnd, LIMITS, specOf } from '../conformance/support.ts';

const FILES = 2000;
const disk = mkdtempSync(join(tmpdir(), 'perpetua-inodes-'));
const supervisor = fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url));
const freeFiles = (): number => statfsSync(disk).ffree;
const freeBlocks = (): number => statfsSync(disk).bavail;

/** Commands that use up all files, or all space, of the disk and then sleep; `wide` are limits that allow it. */
const USES_UP = `(i=0; while :; do : >f$i; i=$((i+1)); done) 2>/dev/null; exec sleep 4821`;
const FILLS = `cat /dev/zero >big 2>/dev/null; exec sleep 4821`;
const wide = { limits: { ...LIMITS, files: 1_000_000 } };

describe.skipIf(noSmallDisks !== undefined)(`on a disk that is full ${noSmallDisks ?? ''}`, () => {
  beforeAll(() => mountSmallDisk(disk, 8, FILES));
  afterAll(() => {
    unmount(disk);
    rmSync(disk, { recursive: true });
  });
  const make = () => createLocalCompute({ home: join(disk, 'home'), installation: 'here' });

  /** Lays out a run in a process group, without starting it. */
  async function stagedRun(name: string, command: string, apart = false) {
    const attempt = attemptOf(join(disk, name), 1);
    const root = join(attempt.directory, 'root');
    for (const folder of [attempt.work, attempt.tmp, root]) mkdirSync(folder, { recursive: true });
    await writeControl(attempt.ctl, {
      control: attempt.ctl,
      work: attempt.work,
      tmp: attempt.tmp,
      root,
      fence: 1,
      talk: false,
      command,
      apart,
      env: { PATH: '/usr/bin:/bin', HOME: attempt.work },
      limits: LIMITS,
      confinement: PROCESS_GROUP,
      uid: null,
      show: [],
      hide: [],
      supervisor,
    });
    return attempt;
  }

  it.each([
    ['file', USES_UP, freeFiles],
    ['block', FILLS, freeBlocks],
  ])('a run that left no free %s is ended and removed', async (_, command, free) => {
    const compute = make();
    await compute.stage('stage', []);
    const spec = { ...specOf(command, wide), stageHash: 'stage' };
    await compute.launch(spec);
    await expect.poll(free, { timeout: 60_000 }).toBe(0);
    await compute.kill(spec, spec.fence);
    expect(await compute.inspect(spec)).toMatchObject({ state: 'ended', end: { reason: 'killed', treeGone: true } });
    await compute.remove(spec);
    expect(existsSync(runDirectory(layoutOf(join(disk, 'home'), 'here'), spec))).toBe(false);
    expect(freeFiles()).toBeGreaterThan(FILES * 0.8);
  });

  it('a run that left no free file is ended by its limit of files, with the count', async () => {
    const compute = make();
    const spec = { ...specOf(USES_UP, { limits: { ...LIMITS, files: 1000 } }), stageHash: 'stage' };
    await compute.launch(spec);
    const { end } = await followToEnd(compute, spec);
    expect(end).toMatchObject({ reason: 'disk', files: { allowed: 1000, seen: 1001 }, treeGone: true });
    await compute.remove(spec);
  });

  it('a run that exceeded its limit before a measurement ends as `disk`, and frees its space', async () => {
    const compute = make();
    const command = 'for n in 1 2 3; do head -c 900000 /dev/zero > $n; done; exit 0';
    const spec = { ...specOf(command, { limits: { ...LIMITS, diskMb: 2 } }), stageHash: 'stage' };
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).end).toMatchObject({ reason: 'disk', treeGone: true });
    expect((await compute.collect(spec, { artefacts: [{ path: '1', maxBytes: 1e6 }] })).missing).toEqual(['1']);
    await compute.remove(spec);
  });

  it('a run fails if one of its streams was cut, even if there is space again', async () => {
    // The common file of both streams has space in its last block; the file of stdout has no block.
    const cuts = `echo first >&2; sleep .5; cat /dev/zero >big 2>/dev/null; echo loss 1; sleep .5; rm big; echo loss 2`;
    const attempt = await stagedRun('cut', cuts, true);
    const { exited } = await startSupervisor(supervisor, attempt.ctl, { talk: false });
    await exited;
    expect(readFileSync(join(attempt.ctl, 'output'), 'utf8')).toBe('first\nloss 1\nloss 2\n');
    expect(readFileSync(join(attempt.ctl, 'stdout'), 'utf8')).toBe('');
    expect(await stateOf(attempt.ctl)).toMatchObject({ state: 'ended', end: { reason: 'exit', signal: 'SIGPIPE' } });
    rmSync(attempt.directory, { recursive: true });
  });

  it('a process that a lost run left is ended, and recorded as gone', async () => {
    const attempt = await stagedRun('lost', `setsid /bin/sh -c 'echo $$; exec /bin/sleep 4822' & wait`);
    const { process: child } = await startSupervisor(supervisor, attempt.ctl, { talk: false });
    const output = (): string => readFileSync(join(attempt.ctl, 'output'), 'utf8');
    await expect.poll(output, { timeout: 30_000 }).toMatch(/^\d+\n$/);
    child.kill('SIGKILL');
    await expect.poll(async () => (await stateOf(attempt.ctl)).state, { timeout: 30_000 }).toBe('lost');
    useUpFiles(join(disk, 'filler'));
    await killControl(attempt.ctl);
    expect(isRunning(Number(output()))).toBe(false);
    expect(existsSync(join(attempt.ctl, 'gone'))).toBe(true);
    expect(await livingControls([attempt])).toEqual([]);
    rmSync(join(disk, 'filler'), { recursive: true });
  });

  it('a run that nobody has claimed is ended, and never begins', async () => {
    const attempt = await stagedRun('staged', 'echo began');
    useUpFiles(join(disk, 'filler'));
    await killControl(attempt.ctl);
    expect(await stateOf(attempt.ctl)).toMatchObject({ state: 'ended', end: { reason: 'killed' } });
    rmSync(join(disk, 'filler'), { recursive: true });
    const { exited } = await startSupervisor(supervisor, attempt.ctl, { talk: false });
    expect(await exited).toBe(0);
    expect(existsSync(join(attempt.ctl, 'output'))).toBe(false);
    expect(await stateOf(attempt.ctl)).toMatchObject({ state: 'ended', end: { reason: 'killed' } });
  });

  it('leaves no process', async () => {
    const search = `grep -lsF '${disk}' /proc/[0-9]*/environ`;
    // Helpers of an ended supervisor end a moment after it.
    await expect.poll(() => spawnSync('sh', ['-c', search], { encoding: 'utf8' }).stdout, { timeout: 20_000 }).toBe('');
  });
});
