import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startSupervisor, writeControl } from '../../../../../infra/compute/local/supervise.ts';
import { PROCESS_GROUP } from '../../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { attemptOf } from '../../../../../infra/compute/run-protocol/paths.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { signalAll } from '../../../../support/process/signal.ts';
import { LIMITS } from '../../conformance/support.ts';
import { host, SHELLS } from '../support/host-call.ts';

const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const strangers: ChildProcess[] = [];
/** Pids of runs' processes, some of which no supervisor would find. */
const started: number[] = [];
afterEach(() => {
  strangers.splice(0).forEach((child) => child.kill('SIGKILL'));
  signalAll(started.splice(0));
});

/** Only root may start a process of another user. */
const isRoot = process.getuid?.() === 0;

/** Starts a process with an environment and a user; returns its pid. */
async function sleeper(env: Record<string, string> = {}, user: { uid?: number } = {}): Promise<number> {
  const options = { env: { PATH: '/usr/bin:/bin', ...env }, stdio: 'ignore', detached: true, ...user } as const;
  const child = spawn('sleep', ['4870'], options);
  strangers.push(child);
  await once(child, 'spawn');
  // The kernel shows the environment of the new program only once it has started.
  await expect.poll(() => readFileSync(`/proc/${child.pid ?? 0}/cmdline`, 'utf8')).toContain('4870');
  return child.pid ?? 0;
}

/** Starts a run with GPU-aa and two processes that print their pids: one with another HOME, one in another session. */
async function startRun(box: ReturnType<typeof host>) {
  const attempt = attemptOf(join(box.runs, 'run.0'), 1);
  const root = join(attempt.directory, 'root');
  for (const folder of [attempt.work, attempt.tmp, root]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(attempt.directory, 'gpus'), 'GPU-aa\n');
  await writeControl(attempt.ctl, {
    control: attempt.ctl,
    work: attempt.work,
    tmp: attempt.tmp,
    root,
    fence: 1,
    talk: false,
    // The two processes print in either order.
    command:
      `(HOME=/elsewhere exec sh -c 'echo 1 $$; exec sleep 4871') & ` +
      `setsid sh -c 'echo 2 $$; exec sleep 4871' & wait`,
    env: { PATH: '/usr/bin:/bin', HOME: attempt.work },
    confinement: PROCESS_GROUP,
    uid: null,
    show: [],
    hide: [],
    limits: { ...LIMITS, wallSeconds: 300 },
    supervisor: box.supervisor,
  });
  const supervisor = await startSupervisor(box.supervisor, attempt.ctl, { talk: false });
  const output = (): string =>
    existsSync(join(attempt.ctl, 'output')) ? readFileSync(join(attempt.ctl, 'output'), 'utf8') : '';
  await expect.poll(output).toMatch(/^\d \d+\n\d \d+\n$/);
  const lines = output().trim().split('\n').sort();
  const pids = lines.map((line) => Number(line.slice(2)));
  started.push(...pids);
  return { supervisor, pids };
}

/** Has nvidia-smi report these processes on GPU-aa, and those of `also` on their GPUs. */
function smi(box: ReturnType<typeof host>, pids: number[], also: [string, number][] = []): void {
  const rows = [...pids.map((pid) => ['GPU-aa', pid]), ...also].map((row) => `echo "${row.join(', ')}"`);
  box.provide(
    'nvidia-smi',
    `case $1 in *memory.total*) echo "0, GPU-aa, Stand-In, 81920" ;; *) ${rows.join('; ')} ;; esac`,
  );
}

/** Probes the host for processes on GPUs; returns the GPU, pid, birth and owner of each. */
function probe(box: ReturnType<typeof host>) {
  const [text = ''] = box.call('machine').filter((line) => line.startsWith('uses'));
  const rows = text
    .replace(/^uses /, '')
    .trim()
    .split('\n')
    .map((row) => row.split(', '));
  return rows.map(([gpu = '', pid = '', birth = '', whose = '']) => ({ gpu, pid: Number(pid), birth, whose }));
}

describe.each(SHELLS)("the owner of a process on a GPU, by the host's script under %s", (shell) => {
  it('is `ours` for a running run with that GPU, and another value for other installations and users', async () => {
    const on = host(shell);
    const { supervisor, pids } = await startRun(on);
    const [first = 0] = pids;
    const home = `${on.base}/runs/theirs/run.0/1/work`;
    const theirs = await sleeper({ HOME: home });
    const elsewhere = await sleeper({ HOME: '/data/perpetua/runs/inst/run.0/1/work' });
    const setup = await sleeper({ HOME: join(on.base, 'stages', 'hash1') });
    const nameless = await sleeper({ HOME: '/home/ada' });
    const stranger = await sleeper({ HOME: '/home/ada' }, isRoot ? { uid: 61_108 } : {});
    smi(on, [...pids, theirs, elsewhere, setup, nameless, stranger, 4_999_999], [['GPU-bb', first]]);
    expect(probe(on).map(({ whose }) => whose)).toEqual([
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

  it('is `left` for a leftover of a run that is over, and `evict` ends that process and no other', async () => {
    const on = host(shell);
    const { supervisor, pids } = await startRun(on);
    const [, leftover = 0] = pids;
    supervisor.process.kill('SIGKILL');
    await supervisor.exited;
    const stranger = await sleeper({ HOME: '/home/ada' });
    smi(on, [leftover, stranger]);
    const uses = probe(on);
    expect(uses.map(({ whose }) => whose)).toEqual(['left', 'nameless']);
    const [{ birth = '' } = {}, { birth: theirs = '' } = {}] = uses;
    // With another birth, the same pid is another process.
    on.call('evict', BOOT, 'GPU-aa', leftover, Number(birth) + 1, 'GPU-aa', stranger, theirs);
    expect([isRunning(leftover), isRunning(stranger)]).toEqual([true, true]);
    // After a reboot of the host, these pids belong to other processes.
    on.call('evict', '00000000-0000-0000-0000-000000000000', 'GPU-aa', leftover, birth);
    expect(isRunning(leftover)).toBe(true);
    expect(on.call('evict', BOOT, 'GPU-aa', leftover, birth)).toEqual(['done']);
    expect([isRunning(leftover), isRunning(stranger)]).toEqual([false, true]);
    on.call('kill', 'run.0', 1);
  });

  it('is `unseen` for a process that is ending: it may belong to a run that ended just now', async () => {
    const on = host(shell);
    // The process ends as a zombie, without a command line, since its parent never waits for it.
    const ending = 'until read -r name </proc/$$/comm && [ "$name" = sleep ]; do :; done';
    const parent = spawn('sh', ['-c', `{ ${ending}; } & echo $!; exec sleep 4873`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    strangers.push(parent);
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    await expect.poll(() => readFileSync(`/proc/${Number(pid)}/stat`, 'utf8')).toContain(') Z ');
    smi(on, [Number(pid)]);
    expect(probe(on)).toMatchObject([{ whose: 'unseen' }]);
  });

  it('is not reported for a process that ended during the probe', () => {
    const on = host(shell);
    const asked = join(on.base, 'asked');
    on.provide(
      'nvidia-smi',
      'case $1 in *memory.total*) echo "0, GPU-aa, Stand-In, 81920" ;; -L) ;; ' +
        `*) [ -e "${asked}" ] || echo "GPU-aa, 4999999"; : >"${asked}" ;; esac`,
    );
    expect(on.call('machine')).toContain('uses');
  });

  it('is probed once the CUDA devices exist, and on the parts of a partitioned GPU', () => {
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

  it('is replaced by a fault, beside the list of GPUs, if nvidia-smi cannot name processes', () => {
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

  it('is replaced by a fault of the GPU if nvidia-smi hangs, and no second nvidia-smi is started', async () => {
    const on = host(shell);
    on.provide('nvidia-smi', 'exec sleep 4872');
    const lines = on.call('machine', 1);
    expect(lines.at(-1)).toBe('done');
    expect(lines.filter((line) => line.startsWith('fault'))).toEqual([
      'fault nvidia-smi gave no answer within 1 s: the driver or a GPU is gone',
    ]);
    // Simulates an nvidia-smi that no signal ends.
    const stuck = await sleeper();
    const stat = readFileSync(`/proc/${stuck}/stat`, 'utf8');
    const birth = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
    writeFileSync(join(on.base, '.nvidia-smi'), `${stuck} ${birth} ${BOOT}\n`);
    on.provide('nvidia-smi', 'echo "0, GPU-aa, Stand-In, 81920"');
    expect(on.call('machine').filter((line) => /^(fault|gpus)/.test(line))).toEqual([
      `fault nvidia-smi hangs (process ${stuck}): the driver or a GPU is gone; reboot the host`,
    ]);
    // Once that process is gone, the host starts nvidia-smi again.
    process.kill(stuck, 'SIGKILL');
    await expect.poll(() => isRunning(stuck)).toBe(false);
    expect(on.call('machine')).toContain('gpus 0, GPU-aa, Stand-In, 81920');
  });
});
