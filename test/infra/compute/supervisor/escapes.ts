import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { signalAll } from '../../../support/process/signal.ts';
import { has, isRoot, processesOf, supervise, superviseToWall, type Setting } from './supervise.ts';

/** Part of the battery: runs that try to escape their supervisor or their limits. */
export function escapeTests(setting: Setting): void {
  // In a process group, the run could stop its supervisor as well.
  it.skipIf(setting.confinement.containment === 'process-group')(
    'ends a run that sends SIGSTOP to the processes that would end it',
    async () => {
      const stopper = `(trap '' TERM; while :; do kill -STOP -1; done) >/dev/null 2>&1 &`;
      const { end } = await supervise(setting, `${stopper} sleep 1; exit 5`, { wallSeconds: 5 });
      expect(end?.treeGone).toBe(true);
    },
  );

  const dropMark = '{ ulimit -w 7 || ulimit -x 7; } 2>/dev/null; ';
  it.each(['env -i setsid sleep 4505', 'env -i sh -c "(setsid env -i sleep 4505 &)"', `${dropMark}env -i sleep 4505`])(
    'leaves no process that dropped its environment, or the mark as well in its session: %s',
    async (stray) => {
      // A namespace around the supervisor ends with it, so a shell that outlives it in there searches.
      const look =
        `"$@"; code=$?; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | ` +
        `grep -o 'sleep [4]505' >&2; exit $code`;
      const within = [...(setting.within ?? []), 'sh', '-c', look, 'sh'];
      const { end, complaints } = await supervise({ ...setting, within }, `${stray} & sleep 0.3; echo over`);
      expect(end).toMatchObject({ reason: 'exit', treeGone: true });
      expect(complaints).toBe('');
    },
  );

  const [bomb, living] = ['while :; do sleep 4513 & done', "grep -l '^State:.[^Z]' /proc/$p/status"];
  /** Status files of the processes of a bomb that are not dead yet. */
  const survivors = (): string =>
    spawnSync('sh', ['-c', `for p in $(pgrep -xf 'sleep 4513'); do ${living}; done 2>/dev/null`], { encoding: 'utf8' })
      .stdout;
  const ofOurs = setting.confinement.containment === 'process-group' && isRoot;
  it.skipIf(!ofOurs || !has('prlimit'))('ends a run that takes all processes that its user may have', async () => {
    const taking = { ...setting, user: 61_983, within: ['prlimit', '--nproc=60'] };
    const { end } = await supervise(taking, `(${bomb}); exec sleep 4513`, { processes: 400, wallSeconds: 3 });
    expect(survivors()).toBe('');
    expect(end).toMatchObject({ reason: expect.stringMatching(/^(wall|exit)$/) as unknown, treeGone: true });
  });

  // Bash retries each fork for seconds, so that this would take minutes.
  const pids = '/sys/fs/cgroup/pids';
  const canTake = setting.shell[0] === 'busybox' && isRoot && existsSync(`${pids}/cgroup.procs`);
  const begetting = `while (1) { my $one = fork; exec "sleep", "4513" if defined $one && !$one }`;
  it.skipIf(!canTake || !has('perl') || setting.confinement.containment === 'pid-namespace').each([
    [`(${bomb}); exec sleep 4513`],
    [bomb],
    // This bomb begins once the command is over, and never ends.
    [
      `perl -e '$mine = getppid; select undef, undef, undef, .01 while getppid == $mine; ${begetting}' & ` +
        `sleep .1; exit 0`,
    ],
  ])('ends a run that takes all processes of its machine: %s', async (command) => {
    const group = mkdtempSync(`${pids}/perpetua-`);
    onTestFinished(async () => {
      signalAll(readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number));
      await expect.poll(() => readFileSync(`${group}/cgroup.procs`, 'utf8')).toBe('');
      rmdirSync(group);
    });
    writeFileSync(`${group}/pids.max`, '60');
    const within = ['sh', '-c', `echo $$ >${group}/cgroup.procs; exec "$@"`, 'sh'];
    const { end } = await supervise({ ...setting, within }, command, { processes: 400 });
    expect(survivors()).toBe('');
    // The run ends by itself, for its processes, or on a busy machine at its wall limit.
    // The run is lost if the supervisor could not even write the end.
    expect([undefined, 'processes', 'exit', 'wall']).toContain(end?.reason);
    expect(end?.treeGone).not.toBe(false);
  });

  it.skipIf(setting.uid === null)('kills no other run of its user after it was killed in its grace', async () => {
    // Another run of that user, which starts after the kill.
    const innocent = `setpriv --reuid ${setting.uid} --regid ${setting.uid} --clear-groups sleep 4514`;
    const replace = `for control; do :; done; "$@" & main=$!
      has() { until [ -e "\${control%/ctl}/work/$1" ]; do kill -0 $main || return; sleep .05; done; }
      has ready && kill -TERM $main && has heard && kill -KILL $main && echo killed >&2; wait $main
      pkill -KILL -U ${setting.uid}
      ${innocent} & sleep 4; kill -0 $! && echo spared >&2; kill $!`;
    const within = [...(setting.within ?? []), 'sh', '-c', replace, 'sh'];
    const deaf = "trap ': >heard' TERM; : >ready; while :; do sleep .1; done";
    const { complaints } = await supervise({ ...setting, within }, deaf, { graceSeconds: 3 });
    expect(complaints).toMatch(/killed\n[^]*spared/);
  });

  it('counts the memory of a process that dropped its environment', async () => {
    const hoard = 'env -i /bin/sh -c "x=\\$(head -c 90000000 /dev/zero | tr \'\\\\0\' x); sleep 4506"';
    const { end } = await supervise(setting, hoard, { memoryMb: 60 });
    expect(end).toMatchObject({ reason: 'memory', treeGone: true });
  });

  it.skipIf(!has('python3'))('leaves no process whose first thread has ended, and counts its memory', async () => {
    const begin = (megabytes: number): string =>
      `python3 -c 'import ctypes, os, threading, time
held = bytearray(${megabytes} << 20)
threading.Thread(target=lambda: time.sleep(4508)).start()
open("up", "w")
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)'`;
    // Only the other thread still has a readable environment. Processes of parallel tests may be in that state, too.
    const look =
      `for control; do :; done; "$@"; code=$?; ` +
      `grep -lsF "HOME=\${control%/ctl}/" /proc/[0-9]*/task/[0-9]*/environ >&2; exit $code`;
    const within = [...(setting.within ?? []), 'sh', '-c', look, 'sh'];
    const { end, complaints } = await supervise(
      { ...setting, within },
      `${begin(1)} & until [ -e up ]; do sleep 0.1; done; sleep 0.3; echo over`,
    );
    expect(end).toMatchObject({ reason: 'exit', treeGone: true });
    expect(complaints).toBe('');
    expect((await supervise(setting, `${begin(100)}; sleep 4508`, { memoryMb: 80 })).end?.reason).toBe('memory');
  });

  it('loses its run with the watcher of limits, and ends it though the killer after the grace was killed', async () => {
    // The watcher is the shell that a child of the supervisor waits for. It has started once it wrote `usage`.
    // The killer is the parent of the only `sleep 3.07`.
    const killWatchers = `for control; do :; done; "$@" & main=$!
      until { [ -e "$control/usage" ] && [ -e "\${control%/ctl}/work/up" ]; } || ! kill -0 $main; do sleep .05; done
      for round in 1 2; do for child in $(cat /proc/$main/task/$main/children); do
      for one in $(cat /proc/$child/task/$child/children); do
      tr '\\0' ' ' </proc/$one/cmdline | grep -q 'supervisor.sh /' && ! grep -q unshare /proc/$child/cmdline &&
      kill -KILL $one; done; done; done; wait $main`;
    const within = [...(setting.within ?? []), 'sh', '-c', killWatchers, 'sh'];
    const lost = await supervise({ ...setting, within }, ': >up; sleep 4509', { wallSeconds: 3600 });
    expect(lost.end).toBeUndefined();
    expect(processesOf(lost.directory)).toEqual([]);
    const killKiller = `"$@" & main=$!; until nap=$(pgrep -f '^sleep 3.07') || ! kill -0 $main; do sleep .1; done
      [ -z "$nap" ] || { set -- $(cat /proc/$nap/stat); kill -KILL $4; }; wait $main`;
    const killed = { ...setting, within: [...(setting.within ?? []), 'sh', '-c', killKiller, 'sh'] };
    const deaf = "trap '' TERM; : >ready; while :; do sleep 1; done";
    const { end, late } = await superviseToWall(killed, deaf, { graceSeconds: 3.07 }, ['ready']);
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
    expect(late).toBeGreaterThan(3.07);
    expect(late).toBeLessThan(18);
  });

  it.skipIf(!has('python3'))('counts the memory of a process that hides it from other users', async () => {
    const hoard = `python3 -c 'import ctypes, time
ctypes.CDLL(None).prctl(4, 0)
held = b"x" * (90 << 20)
time.sleep(4512)'`;
    expect((await supervise(setting, hoard, { memoryMb: 80 })).end).toMatchObject({ reason: 'memory', treeGone: true });
  });

  it('counts no memory twice, and sends TERM once', async () => {
    // Eight copies of a shell that holds 60 MB, and that needed up to three times as much while it read the data.
    const hoard =
      'x=$(head -c 60000000 /dev/zero | tr "\\0" x); for i in 1 2 3 4 5 6 7 8; do { sleep 1.5; :; } & done; wait';
    const { end } = await supervise(setting, hoard, { memoryMb: 400, processes: 22 });
    expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
    const counted =
      `n=0; trap 'n=$((n + 1)); echo heard $n; end=1' TERM; : >ready; ` +
      `until [ "\${end:-}" ]; do sleep .05; done; sleep .5`;
    const { output } = await superviseToWall(setting, counted, { graceSeconds: 30 }, ['ready']);
    expect(output.match(/heard \d/g)).toEqual(['heard 1']);
  });

  it('enforces the limits of a run during its grace', async () => {
    const hoard = 'x=$(head -c 90000000 /dev/zero | tr "\\0" x); sleep 4507';
    const hoarder = `trap '${hoard}' TERM; : >ready; while :; do sleep .05; done`;
    const { end, late } = await superviseToWall(setting, hoarder, { graceSeconds: 60, memoryMb: 60 }, ['ready']);
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
    expect(late).toBeLessThan(45);
  });
}
