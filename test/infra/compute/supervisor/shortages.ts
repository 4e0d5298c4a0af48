import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { signalAll } from '../../../support/process/signal.ts';
import { has, isRoot, processesOf, supervise, type Setting } from './supervise.ts';

const hierarchies = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];
/** Folder in which control groups that count processes can be made; undefined: none. */
const pids = hierarchies.find(
  (at) =>
    existsSync(`${at}/cgroup.procs`) &&
    (at.endsWith('pids') || readFileSync(`${at}/cgroup.subtree_control`, 'utf8').includes('pids')),
);

/** True if programs inherit descriptors above nine here. Dash cannot close those, so bash runs in its place. */
const leavesOpen = spawnSync('sh', ['-c', 'ls /proc/$$/fd'], { encoding: 'utf8' })
  .stdout.split('\n')
  .some((name) => Number(name) > 9);

/** Arguments that run the following command in a control group with this limit of processes, until the test is over. */
function inGroupOf(most: number): string[] {
  const group = mkdtempSync(`${pids}/perpetua-`);
  onTestFinished(async () => {
    signalAll(readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number));
    await expect.poll(() => readFileSync(`${group}/cgroup.procs`, 'utf8')).toBe('');
    // Without a process for rmdir, the supervisor leaves the group of its run to a sweep.
    for (const entry of readdirSync(group, { withFileTypes: true }))
      if (entry.isDirectory()) rmdirSync(`${group}/${entry.name}`);
    rmdirSync(group);
  });
  writeFileSync(`${group}/pids.max`, String(most));
  return ['sh', '-c', `echo $$ >${group}/cgroup.procs; exec "$@"`, 'sh'];
}

/**
 * Arguments that run the following command beside a program that takes all remaining processes.
 * The program starts once the children of {@link many} exist and are measured. It also takes three processes that
 * become free later: those that the supervisor had started a moment before, and needs again. A signal ends its process
 * group, which includes a child that was forked just now.
 */
const besideTaker = [
  'sh',
  '-c',
  'for control; do :; done; perl -e "$0" "${control%/ctl}" & "$@"; code=$?; kill $!; exit $code',
  `setpgrp; $SIG{TERM} = sub { kill KILL => -$$ };
    select undef, undef, undef, .05 while grep { !-e "$ARGV[0]/$_" } qw(work/all ctl/output ctl/usage);
    my $late = 0;
    while ($late < 4) {
      my $one = fork;
      if (!defined $one) { $late ||= 1; select undef, undef, undef, .002 }
      elsif ($one) { $late += $late > 0 } else { exec "sleep", "4516" }
    }
    sleep 4516`,
];

const many = (count: number): string =>
  `i=0; while [ $i -lt ${count} ]; do sleep 4517 & i=$((i + 1)); done; : >all; wait`;

/** Part of the battery: shortages of processes, whoever caused them. */
export function shortageTests(setting: Setting): void {
  const isGroup = setting.confinement.containment === 'process-group';
  const within = setting.within ?? [];
  // Bash retries each fork for seconds, so that this would take minutes.
  const isQuick = (leavesOpen ? ['busybox'] : ['dash', 'busybox']).includes(setting.shell[0] ?? '');
  const cannot = !isRoot || !has('perl') || !isQuick;

  it.skipIf(cannot || !isGroup || !has('prlimit'))(
    'loses a run, and does not blame it, if others took the processes that its user may have',
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
    'loses a run, and does not blame it, if others took the processes of the machine',
    async () => {
      const limited = { ...setting, within: [...inGroupOf(80), ...within, ...besideTaker] };
      const { end, directory } = await supervise(limited, many(20), { processes: 256, wallSeconds: 240 });
      expect(end).toBeUndefined();
      expect(processesOf(directory)).toEqual([]);
    },
  );

  it.skipIf(cannot || pids === undefined)('blames a run that took most of the processes of the machine', async () => {
    const limited = { ...setting, within: [...inGroupOf(80), ...within, ...besideTaker] };
    const { end, directory } = await supervise(limited, many(55), { processes: 256, wallSeconds: 240 });
    expect(end).toMatchObject({ reason: 'processes', treeGone: true });
    expect(processesOf(directory)).toEqual([]);
  });
}
