import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { escapeTests } from './escapes.ts';
import { shortageTests } from './shortages.ts';
import { base, has, processesOf, supervise, superviseToWall, type Setting } from './supervise.ts';

/** Declares the tests that a supervisor must pass in every setting. */
export function battery(setting: Setting): void {
  it('records exit code, output and times, and prints no error', async () => {
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
    // Descriptor 3 belongs to the `ls` that lists them.
    expect(got.output).toMatch(/\n0\n1\n2\n3\n$/);
  });

  it('ends a run at its wall limit, whatever it ignores', async () => {
    const { end } = await superviseToWall(setting, `trap '' TERM; : >ready; sleep 4500; sleep 4500`, {}, ['ready']);
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
  });

  it('gives children of the command their grace, in any session, and ends the run after them', async () => {
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

  it('keeps the streams apart on request, under one limit', async () => {
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

  it('names its user in variables, and lets the run open its streams again', async () => {
    const again = 'echo out >/dev/stdout; echo err >/dev/stderr; echo "$USER $LOGNAME"';
    const { output, end, complaints } = await supervise({ ...setting, apart: true }, again);
    const isNamed = setting.confinement.sandboxed || setting.confinement.ownUid;
    const name = isNamed ? 'perpetua' : userInfo().username;
    expect({ output: output.split('\n').sort(), complaints }).toEqual({
      output: ['', 'err', 'out', `${name} ${name}`].sort(),
      complaints: '',
    });
    expect(end?.loopback).toBe(setting.confinement.sandboxed ? true : undefined);
  });

  it('ends a run that fills the disk, though its stage is gone', async () => {
    const fill = 'for n in 1 2 3 4; do head -c 700000 /dev/zero >f$n; done; sleep 4504';
    const { end } = await supervise({ ...setting, staged: join(base, 'no-stage') }, fill, { diskMb: 1 });
    expect(end).toMatchObject({ reason: 'disk', treeGone: true });
  });

  it('distinguishes an end by the limit of a file from an exit with the same code', async () => {
    expect((await supervise(setting, 'yes >big', { diskMb: 1 })).end).toMatchObject({ reason: 'disk' });
    const chosen = await supervise(setting, 'head -c 1000000 /dev/zero >big; exit 153', { diskMb: 1 });
    expect(chosen.end).toMatchObject({ reason: 'exit', exitCode: 153 });
  });

  it('counts CPU seconds and resident memory', async () => {
    const burn = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep';
    let { end } = await supervise(setting, `${burn} 2`, { cpuSeconds: 60 });
    // The first run may end before the supervisor has measured its memory.
    if (!end?.maxRssMb) ({ end } = await supervise(setting, `${burn} 15`, { cpuSeconds: 60 }));
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
    // Without a control group, up to 0.75 s of each child are not counted.
    expect(end?.cpuSeconds).toBeGreaterThan(0.7);
    expect(end?.cpuSeconds).toBeLessThan(6);
  });

  it('counts CPU seconds of children that were waited for once', async () => {
    const burn = 'burn() { i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; }';
    const nested = `${burn}; for n in 1 2 3; do ( (burn; true); true ); done; times`;
    const { end, output } = await supervise(setting, nested, { cpuSeconds: 60 });
    const spent = output
      .trim()
      .split('\n')
      .flatMap((line) => line.split(' '))
      .reduce((sum, time) => sum + Number(/m([\d.]+)s/.exec(time)?.[1] ?? NaN), 0);
    expect(spent).toBeGreaterThan(0.1);
    expect(end?.cpuSeconds).toBeGreaterThan(spent * 0.95);
    // Counting twice would give 2 · spent. The start of the run counts, too, and costs more on a busy machine.
    expect(end?.cpuSeconds).toBeLessThan(spent * 1.5 + 0.6);
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

  // Only if the kernel limits processes: a bomb without that bound would overload the machine.
  it.runIf(setting.confinement.kernelCountsProcesses)('leaves nothing of a fork bomb', async () => {
    const bomb = 'bomb() { bomb | bomb & }; bomb; sleep 4502';
    const { end, directory } = await superviseToWall(setting, bomb, { processes: 30 });
    expect(end?.treeGone).toBe(true);
    expect(processesOf(directory)).toEqual([]);
  });
}
