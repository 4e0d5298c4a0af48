import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { signalAll } from '../../../support/process/signal.ts';
import { has, isRoot, processesOf, supervise, type Setting } from './supervise.ts';

const hierarchies = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];
/** Where control groups can be made that count processes. */
const pids = hierarchies.find(
  (at) =>
    existsSync(`${at}/cgroup.procs`) &&
    (at.endsWith('pids') || readFileSync(`${at}/cgroup.subtree_control`, 'utf8').includes('pids')),
);

/** Descriptors above nine that a program of ours finds open: dash cannot close them, so that bash does its work. */
const leavesOpen = spawnSync('sh', ['-c', 'ls /proc/$$/fd'], { encoding: 'utf8' })
  .stdout.split('\n')
  .some((name) => Number(name) > 9);

/** Words that run what follows in a control group of so many processes, until the test is over. */
function inGroupOf(most: number): string[] {
  const group = mkdtempSync(`${pids}/perpetua-`);
  onTestFinished(async () => {
    signalAll(readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number));
    await expect.poll(() => readFileSync(`${group}/cgroup.procs`, 'utf8')).toBe('');
    rmdirSync(group);
  });
  writeFileSync(`${group}/pids.max`, String(most));
  return ['sh', '-c', `echo $$ >${group}/cgroup.procs; exec "$@"`, 'sh'];
}

/**
 * Words that run what follows beside somebody who takes all processes that are left, once {@link many} are there and watched, and
 * then three that come free: those that the supervisor had begun a moment before, and would go on with.
 */
const besideTaker = [
  ...['sh', '-c', 'for control; do :; done; perl -e "$0" "${control%/ctl}" & "$@"; code=$?; kill $!; exit $code'],
  `$SIG{TERM} = sub { kill KILL => @taken; exit };
    select undef, undef, undef, .05 while grep { !-e "$ARGV[0]/$_" } qw(work/all ctl/output ctl/usage);
    my $late = 0;
    while ($late < 4) {
      my $one = fork;
      if (!defined $one) { $late ||= 1; select undef, undef, undef, .002 }
      elsif ($one) { push @taken, $one; $late += $late > 0 } else { exec "sleep", "4516" }
    }
    sleep 4516`,
];

const many = (count: number): string =>
  `i=0; while [ $i -lt ${count} ]; do sleep 4517 & i=$((i + 1)); done; : >all; wait`;

/** Part of the battery: no more processes can be had, by whose doing so ever. */
export function shortageTests(setting: Setting): void {
  const isGroup = setting.confinement.containment === 'process-group';
  const within = setting.within ?? [];
  // Under bash that takes minutes: it tries again for seconds, each time.
  const isQuick = (leavesOpen ? ['busybox'] : ['dash', 'busybox']).includes(setting.shell[0] ?? '');
  const cannot = !isRoot || !has('perl') || !isQuick;

  it.skipIf(cannot || !isGroup || !has('prlimit'))(
    'is lost, not blamed, where others took the processes that its user may have',
    async () => {
      const user = 61_984;
      onTestFinished(() => void spawnSync('pkill', ['-KILL', '-U', String(user)]));
      const limited = { ...setting, user, within: ['prlimit', '--nproc=80', ...besideTaker] };
      const { end, directory } = await supervise(limited, many(20), { processes: 256, wallSeconds: 240 });
      expect(end).toBeUndefined();
      expect(processesOf(directory)).toEqual([]);
    },
  );

  it.skipIf(cannot || pids === undefined)(
    'is lost, not blamed, where others took the processes that the machine gives',
    async () => {
      const limited = { ...setting, within: [...inGroupOf(80), ...within, ...besideTaker] };
      const { end, directory } = await supervise(limited, many(20), { processes: 256, wallSeconds: 240 });
      expect(end).toBeUndefined();
      expect(processesOf(directory)).toEqual([]);
    },
  );

  it.skipIf(cannot || pids === undefined)('is blamed where it took most of those that the machine gives', async () => {
    const limited = { ...setting, within: [...inGroupOf(80), ...within, ...besideTaker] };
    const { end, directory } = await supervise(limited, many(55), { processes: 256, wallSeconds: 240 });
    expect(end).toMatchObject({ reason: 'processes', treeGone: true });
    expect(processesOf(directory)).toEqual([]);
  });
}
