import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { confinements, PROCESS_GROUP } from '../../../infra/compute/run-protocol/confinement.ts';
import { noBusybox } from '../../support/machine/busybox.ts';
import { escapeTests } from './supervisor/escapes.ts';
import { shortageTests } from './supervisor/shortages.ts';
import {
  base,
  has,
  isRoot,
  NOBODY,
  processesOf,
  supervise,
  superviseToWall,
  type Setting,
} from './supervisor/supervise.ts';

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
    const { end } = await superviseToWall(setting, `trap '' TERM; : >ready; sleep 4500; sleep 4500`, {}, ['ready']);
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
  });

  it('lets what the command calls use its grace, in its session or another, and waits for nothing then', async () => {
    const save = (name: string): string =>
      `sh -c 'trap "sleep .5; echo saved ${name}; exit 0" TERM; : >ready-${name}; while :; do sleep .05; done'`;
    const both = `setsid ${save('b')} & ${save('a')}; exit $?`;
    const { end, late, output } = await superviseToWall(setting, both, { graceSeconds: 30 }, ['ready-a', 'ready-b']);
    expect(output).toMatch(/saved a/);
    expect(output).toMatch(/saved b/);
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
    expect(late).toBeLessThan(25);
  });

  it('ends a flood of output', async () => {
    const { end, output } = await supervise(setting, 'yes', { outputBytes: 50_000 });
    expect(end).toMatchObject({ reason: 'output', treeGone: true });
    expect(output.length).toBeLessThan(51_000);
  });

  it('keeps the streams apart where they are to be, under one limit', async () => {
    const apart = { ...setting, apart: true };
    const got = await supervise(apart, `printf 'on'; printf '\\r5%%' >&2; sleep .2; echo e; printf last >&2; exit 7`);
    expect(got).toMatchObject({ complaints: '', end: { reason: 'exit', exitCode: 7, treeGone: true } });
    const streamOf = (name: string): string => readFileSync(join(got.directory, 'ctl', name), 'utf8');
    expect([streamOf('stdout'), streamOf('stderr')]).toEqual(['one\n', '\r5%last']);
    expect([...got.output].sort()).toEqual([...'one\n\r5%last'].sort());
    for (const flood of ['yes & yes >&2', 'yes', 'yes >&2']) {
      const { end, output } = await supervise(apart, flood, { outputBytes: 50_000 });
      expect(end).toMatchObject({ reason: 'output', treeGone: true });
      expect(output.length).toBeLessThan(51_000);
    }
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

  it.skipIf(!has('perl'))('counts CPU seconds of children that nobody waited for', async () => {
    const child = 'do { my $n = 0; $n += $_ for 1 .. 100000 } while (times)[0] < 1.2; exit 0';
    const wait = '1 while kill(0, $pid) && select(undef, undef, undef, .01) == 0';
    const parent = `$SIG{CHLD} = "IGNORE"; for (1 .. 2) { my $pid = fork; if (!$pid) { ${child} } ${wait} }`;
    const { end } = await supervise(setting, `perl -e '${parent}'`, { cpuSeconds: 60, wallSeconds: 200 });
    expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
    // Where no control group counts, up to three quarters of a second of each go by unseen.
    expect(end?.cpuSeconds).toBeGreaterThan(0.7);
    expect(end?.cpuSeconds).toBeLessThan(6);
  });

  it('counts what was waited for once', async () => {
    const burn = 'burn() { i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; }';
    const nested = `${burn}; for n in 1 2 3; do ( (burn; true); true ); done; times`;
    const { end, output } = await supervise(setting, nested, { cpuSeconds: 60 });
    const spent = output
      .trim()
      .split('\n')
      .flatMap((line) => line.split(' '))
      .reduce((sum, time) => sum + Number(/m([\d.]+)s/.exec(time)?.[1] ?? NaN), 0);
    expect(spent).toBeGreaterThan(0.1);
    expect(end?.cpuSeconds).toBeGreaterThan(spent * 0.95);
    expect(end?.cpuSeconds).toBeLessThan(spent + 0.6);
  });

  it('leaves no process of a session of its own', async () => {
    const { end, directory } = await supervise(setting, 'setsid sh -c "sleep 4501; true" & sleep 0.2; echo over');
    expect(end).toMatchObject({ reason: 'exit', treeGone: true });
    expect(processesOf(directory)).toEqual([]);
  });

  escapeTests(setting);
  shortageTests(setting);

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

/** A group of tests, skipped with its reason where there is one. */
function unless(reason: string, title: string, tests: () => void): void {
  if (reason === '') describe(title, tests);
  else describe.skip(`${title} (${reason})`, tests);
}

const shells: string[][] = [['dash'], ['busybox', 'sh'], ['bash']];
/** dash has them all; no line of the script asks for both its shell and its confinement, so that two shells for each are enough. */
const CONFINED: Record<string, readonly string[]> = {
  dash: ['namespaces', 'group', 'uid'],
  busybox: ['namespaces', 'group'],
  bash: ['uid'],
};
const [best] = confinements(isRoot, true);
if (!best) throw new Error('expected a confinement to try');
const probe = { shell: ['sh'], confinement: best, uid: best.ownUid ? 61_999 : null };
const sandboxed = (await supervise(probe, 'exit 9')).end?.exitCode === 9;

describe.each(shells)('under %s', (...shell) => {
  const program = shell[0] ?? '';
  const absent = has(program) ? '' : `${program} is not installed`;
  const missing = program === 'busybox' ? (noBusybox ?? '') : absent;
  const confined = CONFINED[program] ?? [];
  if (confined.includes('namespaces'))
    unless(missing || (sandboxed ? '' : 'no namespaces here'), 'in namespaces', () => battery({ ...probe, shell }));

  // Without namespaces of their own these scan all processes: a namespace around the test keeps a mistake small.
  const within = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
  const unsafe = missing || (isRoot && sandboxed ? '' : 'needs root and namespaces around it');
  if (confined.includes('group'))
    unless(unsafe, 'in a process group', () => battery({ shell, confinement: PROCESS_GROUP, uid: null, within }));
  if (!confined.includes('uid')) return;
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
