import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confinements, PROCESS_GROUP, type Confinement } from '../../../infra/compute/run-protocol/confinement.ts';
import { readEnd } from '../../../infra/compute/local/end.ts';
import { writeControl } from '../../../infra/compute/local/supervise.ts';
import { noBusybox } from '../../support/busybox.ts';
import { LIMITS } from './conformance/support.ts';
import type { RunLimits } from '../../../infra/compute.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const base = mkdtempSync(join(tmpdir(), 'perpetua-supervisor-'));
const script = join(base, 'supervisor.sh');
chmodSync(base, 0o755);
copyFileSync(fileURLToPath(new URL('../../../infra/compute/supervisor.sh', import.meta.url)), script);
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Setting {
  shell: string[];
  confinement: Confinement;
  uid: number | null;
  /** The user that the supervisor itself runs as. */
  user?: number;
  /** Words before the shell. */
  within?: string[];
  /** Descriptors that its caller leaves open. */
  open?: number[];
  /** The staged workspace. */
  staged?: string;
}
let count = 0;
const secret = join(base, 'secret');
writeFileSync(secret, 'of the caller');
const caller = openSync(secret, 'r+');
afterAll(() => closeSync(caller));
const opened = (numbers: number[]): (number | 'ignore')[] =>
  Array.from({ length: Math.max(2, ...numbers) - 2 }, (_, index) => (numbers.includes(index + 3) ? caller : 'ignore'));

/** Runs one command under the script alone and reads what it left. */
async function supervise(
  { shell, confinement, uid, user, within = [], open = [], staged = '' }: Setting,
  command: string,
  limits: Partial<RunLimits> = {},
) {
  const directory = join(base, `r${(count += 1)}`, '1');
  const at = (name: string): string => join(directory, name);
  for (const name of ['work', 'tmp', 'root']) mkdirSync(at(name), { recursive: true });
  await writeControl(at('ctl'), {
    control: at('ctl'),
    work: at('work'),
    tmp: at('tmp'),
    root: at('root'),
    fence: 1,
    talk: false,
    command,
    env: { PATH: '/usr/bin:/bin', HOME: at('work') },
    limits: { ...LIMITS, ...limits },
    staged,
    confinement,
    uid,
    show: [],
    hide: [],
    supervisor: script,
    shell: shell.join(' '),
  });
  if (uid !== null) for (const name of ['work', 'tmp']) chownSync(at(name), uid, uid);
  if (user !== undefined) spawnSync('chown', ['-R', String(user), directory]);
  const words = [...within, ...shell, script, at('ctl')];
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe', ...opened(open)],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const [code] = (await once(child, 'close')) as [number | null];
  const [end, output] = [await readEnd(at('ctl')), readFileSync(at('ctl/output'), 'utf8')];
  return { end, code, output, complaints, directory };
}

/** With more time where its sandbox was not built in it: such a run has no end. */
async function superviseToWall(setting: Setting, command: string, limits: Partial<RunLimits> = {}) {
  for (const wallSeconds of [2, 8]) {
    const got = await supervise(setting, command, { ...limits, wallSeconds });
    if (got.code !== 71 || readFileSync(join(got.directory, 'ctl/begun'), 'utf8').startsWith('1')) return got;
  }
  return supervise(setting, command, limits);
}

function battery(setting: Setting): void {
  it('records exit code, output and times, and complains of nothing', async () => {
    const got = await supervise(setting, 'echo out; echo err >&2; exit 7');
    expect(got).toMatchObject({
      output: 'out\nerr\n',
      complaints: '',
      end: { reason: 'exit', exitCode: 7, treeGone: true },
    });
    expect(got.end?.containment).toBe(setting.confinement.containment);
  });

  it.each([[[3, 9]], [[3, 5, 12, 40]]])('passes no descriptor of its caller on to the run: %j', async (open) => {
    const got = await supervise(
      { ...setting, open },
      'for f in /proc/self/fd/*; do readlink $f; done; ls /proc/self/fd',
    );
    expect(got.complaints).toBe('');
    expect(got.output).not.toContain('secret');
    // What lists them has one of its own.
    expect(got.output).toMatch(/\n0\n1\n2\n3\n$/);
  });

  it('ends a run at its wall limit, whatever it ignores', async () => {
    const { end } = await superviseToWall(setting, `trap '' TERM; sleep 4500; sleep 4500`);
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
  });

  it('ends a flood of output', async () => {
    const { end, output } = await supervise(setting, 'yes', { outputBytes: 50_000 });
    expect(end).toMatchObject({ reason: 'output', treeGone: true });
    expect(output.length).toBeLessThan(51_000);
  });

  it('ends a run that fills the disk, though what was staged is gone', async () => {
    const fill = 'for n in 1 2 3 4; do head -c 700000 /dev/zero >f$n; done; sleep 4504';
    const { end } = await supervise({ ...setting, staged: join(base, 'no-stage') }, fill, { diskMb: 1 });
    expect(end).toMatchObject({ reason: 'disk', treeGone: true });
  });

  it('tells an end by a file at its limit from an exit with that code', async () => {
    expect((await supervise(setting, 'yes >big', { diskMb: 1 })).end).toMatchObject({ reason: 'disk' });
    const chosen = await supervise(setting, 'head -c 1000000 /dev/zero >big; exit 153', { diskMb: 1 });
    expect(chosen.end).toMatchObject({ reason: 'exit', exitCode: 153 });
  });

  it('counts CPU seconds and resident memory', async () => {
    const burn = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep';
    let { end } = await supervise(setting, `${burn} 2`, { cpuSeconds: 60 });
    if (!end?.maxRssMb) ({ end } = await supervise(setting, `${burn} 15`, { cpuSeconds: 60 })); // nobody looked
    expect(end?.cpuSeconds).toBeGreaterThan(0.05);
    expect(end?.maxRssMb).toBeGreaterThan(0.5);
    expect(end?.wallSeconds).toBeGreaterThan(0.3);
    expect(end?.waitSeconds).toBeGreaterThanOrEqual(0);
  });

  it('leaves no process of a session of its own', async () => {
    const { end, directory } = await supervise(setting, 'setsid sh -c "sleep 4501; true" & sleep 0.2; echo over');
    expect(end).toMatchObject({ reason: 'exit', treeGone: true });
    expect(processesOf(directory)).toEqual([]);
  });

  it('ends a run that starts too many processes', async () => {
    const many = 'i=0; while [ $i -lt 60 ]; do sleep 4502 & i=$((i+1)); done; wait';
    const { end, directory } = await supervise(setting, many, { processes: 30 });
    expect(end).toMatchObject({ reason: 'processes', treeGone: true });
    expect(processesOf(directory)).toEqual([]);
  });

  // Where only the supervisor counts, a bomb that the kernel does not bound would be unkind to the machine.
  it.runIf(setting.confinement.kernelCountsProcesses)('leaves nothing of a fork bomb', async () => {
    const bomb = 'bomb() { bomb | bomb & }; bomb; sleep 4502';
    const { end, directory } = await superviseToWall(setting, bomb, { processes: 30 });
    expect(end?.treeGone).toBe(true);
    expect(processesOf(directory)).toEqual([]);
  });
}

/** Living processes that carry a run's directory in their environment. */
function processesOf(directory: string): string[] {
  const found = spawnSync('sh', ['-c', `grep -lsF 'HOME=${directory}' /proc/[0-9]*/environ`], { encoding: 'utf8' });
  return found.stdout.trim().split('\n').filter(Boolean);
}

/** A group of tests, skipped with its reason where there is one. */
function unless(reason: string, title: string, tests: () => void): void {
  if (reason === '') describe(title, tests);
  else describe.skip(`${title} (${reason})`, tests);
}

const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const shells: string[][] = [['dash'], ['busybox', 'sh'], ['bash']];
const [best] = confinements(isRoot, true);
if (!best) throw new Error('expected a confinement to try');
const probe = { shell: ['sh'], confinement: best, uid: best.ownUid ? 61_999 : null };
const sandboxed = (await supervise(probe, 'exit 9')).end?.exitCode === 9;

describe.each(shells)('under %s', (...shell) => {
  const program = shell[0] ?? '';
  const absent = has(program) ? '' : `${program} is not installed`;
  const missing = program === 'busybox' ? (noBusybox ?? '') : absent;
  unless(missing || (sandboxed ? '' : 'no namespaces here'), 'in namespaces', () => battery({ ...probe, shell }));

  // Without namespaces of their own these scan all processes: a namespace around the test keeps a mistake small.
  const within = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
  const unsafe = missing || (isRoot && sandboxed ? '' : 'needs root and namespaces around it');
  unless(unsafe, 'in a process group', () => battery({ shell, confinement: PROCESS_GROUP, uid: null, within }));
  unless(unsafe, 'under a uid of its own', () => {
    const confinement = confinements(true, true).find((one) => one.containment === 'uid');
    if (!confinement) throw new Error('expected a confinement by uid');
    battery({ shell, confinement, uid: 61_998, within });
  });
});

unless(isRoot ? '' : 'needs root to become one', 'as an ordinary user', () => {
  const [ordinary] = confinements(false, true);
  if (!ordinary) throw new Error('expected a confinement for an ordinary user');
  let works = false;
  beforeAll(async () => {
    const got = await supervise({ shell: ['sh'], confinement: ordinary, uid: null, user: NOBODY }, 'exit 9');
    works = got.end?.exitCode === 9;
  });

  it('gives a sandbox through user namespaces, or says that it cannot', async (context) => {
    if (!works) return context.skip('this kernel gives ordinary users no namespaces');
    const got = await supervise(
      { shell: ['sh'], confinement: ordinary, uid: null, user: NOBODY },
      `touch here && ls /root /home '${base}' 2>&1; grep CapEff /proc/self/status; kill -9 0`,
    );
    expect(got.end).toMatchObject({ sandboxed: true, treeGone: true, signal: 'SIGKILL' });
    expect(got.output.match(/No such file/g)?.length).toBeGreaterThanOrEqual(2);
    expect(got.output).toMatch(/CapEff:\s0+$/m);
    expect(existsSync(join(got.directory, 'work/here'))).toBe(true);
  });

  describe('runs', () => battery({ shell: ['sh'], confinement: ordinary, uid: null, user: NOBODY }));
});

unless(sandboxed ? '' : 'no namespaces here', 'in its first steps', () => {
  const path = '/usr/sbin:/usr/bin:/sbin:/bin';
  const slowed = (program: string, script: string): string[] => {
    const folder = mkdtempSync(join(base, `slow-${program}-`));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, program), `#!/bin/sh\nPATH=${path}\n${script}\n`, { mode: 0o755 });
    return ['env', `PATH=${folder}:${path}`];
  };
  const namespaced = [...confinements(isRoot, true), ...confinements(isRoot, false)].filter(
    ({ containment }) => containment === 'pid-namespace',
  );

  // Marked, so that what is left of it could be found.
  const hungMount = [...slowed('mount', "trap '' TERM; while :; do sleep 4503; done"), `HOME=${base}/hung`];
  const slowMount = slowed('mount', 'sleep 0.3; exec mount "$@"');
  const lateInit = slowed(
    'unshare',
    // Not before the run was ended; the control directory is the last word.
    'for control; do :; done\n(n=0; until [ -e "$control/reason" ] || [ $n = 200 ]; do sleep 0.1; n=$((n + 1)); done; exec unshare "$@") & wait',
  );

  it.each([...new Set(namespaced)])(
    'a run has nobody else counted for it (sandboxed: $sandboxed)',
    async (confinement) => {
      const uid = confinement.ownUid ? 61_997 : null;
      const within = slowMount;
      const got = await supervise({ shell: ['sh'], confinement, uid, within }, 'sleep 0.3', { processes: 8 });
      expect(got.complaints).toBe('');
      expect(got.end).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(got.end?.wallSeconds).toBeGreaterThan(0.55);
    },
  );

  it.each([...new Set(namespaced)])(
    'a run that is ended while process 1 is on its way never starts (sandboxed: $sandboxed)',
    async (confinement) => {
      const uid = confinement.ownUid ? 61_996 : null;
      const setting = { shell: ['sh'], confinement, uid, within: lateInit };
      const got = await supervise(setting, 'echo started; sleep 4501', { wallSeconds: 0.1 });
      // No fault of the run.
      expect(got).toMatchObject({ output: '', end: undefined, code: 71 });
    },
  );

  it.each([...new Set(namespaced)])(
    'a run whose sandbox is not built within its time is lost, and leaves nothing (sandboxed: $sandboxed)',
    async (confinement) => {
      const uid = confinement.ownUid ? 61_995 : null;
      const setting = { shell: ['sh'], confinement, uid, within: hungMount };
      const got = await supervise(setting, 'echo started', { wallSeconds: 0.5 });
      expect(got).toMatchObject({ complaints: '', end: undefined, code: 71 });
      expect(got.output).not.toContain('started');
      expect(processesOf(`${base}/hung`)).toEqual([]);
    },
  );
});
