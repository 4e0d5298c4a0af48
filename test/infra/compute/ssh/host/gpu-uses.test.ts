import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startSupervisor, writeControl } from '../../../../../infra/compute/local/supervise.ts';
import { PROCESS_GROUP } from '../../../../../infra/compute/run-protocol/confinement.ts';
import { attemptOf } from '../../../../../infra/compute/run-protocol/paths.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { signalAll } from '../../../../support/process/signal.ts';
import { LIMITS } from '../../conformance/support.ts';
import { host, SHELLS } from '../support/host-call.ts';

const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const strangers: ChildProcess[] = [];
/** Of runs, one of which no supervisor would find. */
const started: number[] = [];
afterEach(() => {
  strangers.splice(0).forEach((child) => child.kill('SIGKILL'));
  signalAll(started.splice(0));
});

/** Only root may start a process of another user. */
const isRoot = process.getuid?.() === 0;

/** A process of ours or somebody else's, by its environment, or its user. */
async function sleeper(env: Record<string, string> = {}, user: { uid?: number } = {}): Promise<number> {
  const options = { env: { PATH: '/usr/bin:/bin', ...env }, stdio: 'ignore', detached: true, ...user } as const;
  const child = spawn('sleep', ['4870'], options);
  strangers.push(child);
  await once(child, 'spawn');
  // The environment is the new program's only once that has begun.
  await expect.poll(() => readFileSync(`/proc/${child.pid ?? 0}/cmdline`, 'utf8')).toContain('4870');
  return child.pid ?? 0;
}

/** A run with GPU-aa whose command tells its process, and one that forgot where it came from. */
async function startRun(on: ReturnType<typeof host>) {
  const attempt = attemptOf(join(on.runs, 'run.0'), 1);
  const root = join(attempt.directory, 'root');
  for (const folder of [attempt.work, attempt.tmp, root]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(attempt.directory, 'gpus'), 'GPU-aa\n');
  await writeControl(attempt.ctl, {
    ...{ control: attempt.ctl, work: attempt.work, tmp: attempt.tmp, root, fence: 1, talk: false, limits: LIMITS },
    // They speak in either order.
    command: `(HOME=/elsewhere exec sh -c 'echo 1 $$; exec sleep 4871') & setsid sh -c 'echo 2 $$; exec sleep 4871' & wait`,
    ...{
      env: { PATH: '/usr/bin:/bin', HOME: attempt.work },
      confinement: PROCESS_GROUP,
      uid: null,
      show: [],
      hide: [],
    },
    limits: { ...LIMITS, wallSeconds: 300 },
    supervisor: on.supervisor,
  });
  const supervisor = await startSupervisor(on.supervisor, attempt.ctl, { talk: false });
  const said = (): string =>
    existsSync(join(attempt.ctl, 'output')) ? readFileSync(join(attempt.ctl, 'output'), 'utf8') : '';
  await expect.poll(said).toMatch(/^\d \d+\n\d \d+\n$/);
  const lines = said().trim().split('\n').sort();
  const pids = lines.map((line) => Number(line.slice(2)));
  started.push(...pids);
  return { supervisor, pids };
}

/** Lets nvidia-smi name these processes as users of GPU-aa, but for those of `also`. */
function smi(on: ReturnType<typeof host>, pids: number[], also: [string, number][] = []): void {
  const rows = [...pids.map((pid) => ['GPU-aa', pid]), ...also].map((row) => `echo "${row.join(', ')}"`);
  on.provide(
    'nvidia-smi',
    `case $1 in *memory.total*) echo "0, GPU-aa, Stand-In, 81920" ;; *) ${rows.join('; ')} ;; esac`,
  );
}

/** Whose the processes on GPUs are, by process; `of` has the birth of each. */
function look(on: ReturnType<typeof host>) {
  const [text = ''] = on.call('machine').filter((line) => line.startsWith('uses'));
  const rows = text
    .replace(/^uses /, '')
    .trim()
    .split('\n')
    .map((row) => row.split(', '));
  return rows.map(([gpu = '', pid = '', birth = '', whose = '']) => ({ gpu, pid: Number(pid), birth, whose }));
}

describe.each(SHELLS)("whose a process on a GPU is, by the host's script under %s", (shell) => {
  it('tells our running run, where it was given that GPU, from other installations and from strangers', async () => {
    const on = host(shell);
    const { supervisor, pids } = await startRun(on);
    const [own = 0] = pids;
    const home = `${on.base}/runs/theirs/run.0/1/work`;
    const theirs = await sleeper({ HOME: home });
    const elsewhere = await sleeper({ HOME: '/data/perpetua/runs/inst/run.0/1/work' });
    const setup = await sleeper({ HOME: join(on.base, 'stages', 'hash1') });
    const nameless = await sleeper({ HOME: '/home/ada' });
    const stranger = await sleeper({ HOME: '/home/ada' }, isRoot ? { uid: 61_108 } : {});
    smi(on, [...pids, theirs, elsewhere, setup, nameless, stranger, 4_999_999], [['GPU-bb', own]]);
    expect(look(on).map(({ whose }) => whose)).toEqual([
      'ours',
      'ours',
      'other',
      'other',
      'setup',
      'nameless',
      isRoot ? 'stranger' : 'nameless',
      'unseen',
      'astray',
    ]);
    supervisor.process.kill('SIGTERM');
    await supervisor.exited;
  });

  it('finds what a run that is over left there, and ends that and nothing else', async () => {
    const on = host(shell);
    const { supervisor, pids } = await startRun(on);
    const [, left = 0] = pids;
    supervisor.process.kill('SIGKILL');
    await supervisor.exited;
    const stranger = await sleeper({ HOME: '/home/ada' });
    smi(on, [left, stranger]);
    const uses = look(on);
    expect(uses.map(({ whose }) => whose)).toEqual(['left', 'nameless']);
    const [{ birth = '' } = {}, { birth: theirs = '' } = {}] = uses;
    // A number that was given away again is another process.
    on.call('evict', BOOT, 'GPU-aa', left, Number(birth) + 1, 'GPU-aa', stranger, theirs);
    expect([isRunning(left), isRunning(stranger)]).toEqual([true, true]);
    // Found before the host was booted: these numbers are others' by now.
    on.call('evict', '00000000-0000-0000-0000-000000000000', 'GPU-aa', left, birth);
    expect(isRunning(left)).toBe(true);
    expect(on.call('evict', BOOT, 'GPU-aa', left, birth)).toEqual(['done']);
    expect([isRunning(left), isRunning(stranger)]).toEqual([false, true]);
    on.call('kill', 'run.0', 1);
  });

  it('takes one that is ending for nobody in particular: it may be of a run that ended just now', async () => {
    const on = host(shell);
    // It ends when its parent is a program that never asks for it: it stays as a number without words.
    const ending = 'until read -r name </proc/$$/comm && [ "$name" = sleep ]; do :; done';
    const parent = spawn('sh', ['-c', `{ ${ending}; } & echo $!; exec sleep 4873`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    strangers.push(parent);
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    await expect.poll(() => readFileSync(`/proc/${Number(pid)}/stat`, 'utf8')).toContain(') Z ');
    smi(on, [Number(pid)]);
    expect(look(on)).toMatchObject([{ whose: 'unseen' }]);
  });

  it('forgets a process that ended while it was asked for', () => {
    const on = host(shell);
    const asked = join(on.base, 'asked');
    on.provide(
      'nvidia-smi',
      `case $1 in *memory.total*) echo "0, GPU-aa, Stand-In, 81920" ;; -L) ;; *) [ -e "${asked}" ] || echo "GPU-aa, 4999999"; : >"${asked}" ;; esac`,
    );
    expect(on.call('machine')).toContain('uses');
  });

  it('is looked for where CUDA is ready, and on the parts of a GPU that is cut', () => {
    const on = host(shell);
    const woken = join(on.base, 'woken');
    on.provide('nvidia-modprobe', `echo "$@" >>"${woken}"`);
    on.provide('nvidia-smi', 'echo "No devices were found"; exit 6');
    expect(on.call('machine')).toContain('fault nvidia-smi ended with 6: No devices were found');
    expect(existsSync(woken)).toBe(false);
    const list = 'GPU 0: Stand-In (UUID: GPU-aa)\n  MIG 1g.5gb     Device  0: (UUID: MIG-bb)';
    on.provide(
      'nvidia-smi',
      `case $1 in *memory.total*) echo "0, GPU-aa, Stand-In, 81920" ;; -L) printf 'Note\n${list}\n' ;; esac`,
    );
    expect(on.call('machine').find((line) => line.startsWith('gpus'))).toBe(`gpus 0, GPU-aa, Stand-In, 81920\n${list}`);
    if (!existsSync('/dev/nvidia-uvm') && !existsSync('/dev/dxg')) expect(readFileSync(woken, 'utf8')).toBe('-c0 -u\n');
  });

  it('is a fault beside the GPUs, which are there, where nvidia-smi cannot name processes', () => {
    const on = host(shell);
    on.provide(
      'nvidia-smi',
      'case $1 in *memory.total*) echo "0, GPU-aa, Stand-In, 81920" ;; *) echo no; exit 9 ;; esac',
    );
    expect(on.call('machine').filter((line) => /^(fault|gpus|uses)/.test(line))).toEqual([
      'gpus 0, GPU-aa, Stand-In, 81920',
      'fault nvidia-smi ended with 9: no',
    ]);
  });

  it('is a fault of the GPU, not of the host, where nvidia-smi hangs; a second one is not started beside it', async () => {
    const on = host(shell);
    on.provide('nvidia-smi', 'exec sleep 4872');
    const said = on.call('machine', 1);
    expect(said.at(-1)).toBe('done');
    expect(said.filter((line) => line.startsWith('fault'))).toEqual([
      'fault nvidia-smi gave no answer within 1 s: the driver or a GPU is gone',
    ]);
    // As one that nothing can end.
    const stuck = await sleeper();
    const stat = readFileSync(`/proc/${stuck}/stat`, 'utf8');
    const birth = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
    writeFileSync(join(on.base, '.nvidia-smi'), `${stuck} ${birth} ${BOOT}\n`);
    on.provide('nvidia-smi', 'echo "0, GPU-aa, Stand-In, 81920"');
    expect(on.call('machine').filter((line) => /^(fault|gpus)/.test(line))).toEqual([
      `fault nvidia-smi hangs (process ${stuck}): the driver or a GPU is gone; reboot the host`,
    ]);
    // Once that is gone, it is asked again.
    process.kill(stuck, 'SIGKILL');
    await expect.poll(() => isRunning(stuck)).toBe(false);
    expect(on.call('machine')).toContain('gpus 0, GPU-aa, Stand-In, 81920');
  });
});
