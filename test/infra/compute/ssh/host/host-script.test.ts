import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSupervisor, writeControl } from '../../../../../infra/compute/local/supervise.ts';
import {
  confinements,
  PROCESS_GROUP,
  type Confinement,
} from '../../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { attemptOf } from '../../../../../infra/compute/run-protocol/paths.ts';
import type { RunLimits } from '../../../../../domain/job/run-limits.ts';
import { noBusybox } from '../../../../support/machine/busybox.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { signalAll } from '../../../../support/process/signal.ts';
import { LIMITS } from '../../conformance/support.ts';
import { host, SHELLS } from '../support/host-call.ts';

it.skipIf(noBusybox !== undefined)(`the shells of these tests include busybox ${noBusybox ?? ''}`, () =>
  expect(SHELLS).toContain('busybox sh'),
);

const DAY = 86_400;

type Host = ReturnType<typeof host>;

/** Starts the supervisor of a run that was made without a stage. */
async function begin(box: Host, begun: Begun) {
  const attempt = await stagedRun(box, begun);
  return { attempt, ...(await startSupervisor(box.supervisor, attempt.ctl, { talk: false })) };
}
async function stagedRun(box: Host, { command, confinement = PROCESS_GROUP, uid = null, limits = LIMITS }: Begun) {
  const attempt = attemptOf(join(box.runs, 'run.0'), 1);
  const root = join(attempt.directory, 'root');
  for (const folder of [attempt.work, attempt.tmp, root]) mkdirSync(folder, { recursive: true });
  if (uid !== null) chownSync(attempt.work, uid, uid);
  await writeControl(attempt.ctl, {
    control: attempt.ctl,
    work: attempt.work,
    tmp: attempt.tmp,
    root,
    fence: 1,
    talk: false,
    limits,
    command,
    env: { PATH: '/usr/bin:/bin', HOME: attempt.work },
    confinement,
    uid,
    show: [],
    hide: [],
    supervisor: box.supervisor,
  });
  return attempt;
}
interface Begun {
  command: string;
  confinement?: Confinement;
  uid?: number | null;
  limits?: RunLimits;
}

/** Starts a run that leaves its session and kills its supervisor; returns the process of the run that survives. */
async function loseSupervisor(box: Host, confinement: Confinement, uid: number | null) {
  const command = `setsid env -i /bin/sh -c 'echo $$; exec /bin/sleep 4810' & wait`;
  const { attempt, process: child, exited } = await begin(box, { command, confinement, uid });
  const output = (): string => readFileSync(join(attempt.ctl, 'output'), 'utf8');
  await expect.poll(output).toMatch(/^\d+\n$/);
  child.kill('SIGKILL');
  await exited;
  const survivor = Number(output());
  onTestFinished(() => signalAll([survivor]));
  return { attempt, survivor };
}

const byUid = confinements(true, true).find(({ containment }) => containment === 'uid');
const settings: [Confinement, number | null][] = [[PROCESS_GROUP, null]];
if (process.getuid?.() === 0 && byUid) settings.push([byUid, 61_104]);

/** A user other than root, whom file modes do not restrict. */
const ordinary = process.getuid?.() === 0 ? { uid: 61_105 } : {};

describe.each(SHELLS)("the host's script under %s", (shell) => {
  it('frees the disk of a run above its limit at once, also closed folders, and follows no link', async () => {
    const on = host(shell, ordinary);
    const beyond = join(on.base, 'beyond');
    mkdirSync(beyond);
    writeFileSync(join(beyond, 'kept'), '');
    const fill = 'for n in 1 2 3; do head -c 900000 /dev/zero > a/hidden/$n; done';
    const link = `ln -s '${beyond.replaceAll("'", `'"'"'`)}' link`;
    const command = `mkdir -p a/hidden; ${fill}; ${link}; chmod 000 a/hidden a; exit 1`;
    const attempt = await stagedRun(on, { command, limits: { ...LIMITS, diskMb: 2 } });
    chmodSync(beyond, 0o500);
    const [program = '', ...words] = [...shell.split(' '), on.supervisor, attempt.ctl];
    const { uid } = ordinary;
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${uid}`, on.base]);
    spawnSync(program, words, {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    expect(on.call('inspect', 'run.0').find((line) => line.startsWith('end '))).toContain('"reason":"disk"');
    expect(readdirSync(attempt.work)).toEqual([]);
    expect([readdirSync(beyond), statSync(beyond).mode & 0o777]).toEqual([['kept'], 0o500]);
  });

  it('reports how long a run under way was kept from a CPU, as its supervisor measured it', async () => {
    const on = host(shell);
    const { attempt, exited } = await begin(on, { command: 'sleep 4812' });
    const waits = () => on.call('inspect', 'run.0').filter((line) => line.startsWith('waited '));
    if (existsSync('/proc/self/schedstat')) await expect.poll(waits).toEqual([expect.stringMatching(/^waited \d+$/)]);
    // A program without a sandbox may replace the file with anything.
    const usage = join(attempt.ctl, 'usage');
    for (const content of ['1 2 3 -4', '1 2 3 x']) {
      writeFileSync(`${usage}.new`, content);
      renameSync(`${usage}.new`, usage);
      expect(waits().join()).not.toMatch(/-|x/);
    }
    on.call('kill', 'run.0', 1);
    await exited;
  });

  it('judges no stage if a removal of the run has already deleted the name of its stage', async () => {
    const on = host(shell);
    const { exited } = await begin(on, { command: 'true' });
    expect(await exited).toBe(0);
    mkdirSync(join(on.base, 'stages', 'hash1'), { recursive: true });
    const lines = on.call('collect', 'run.0', '0');
    expect(lines[0]).toMatch(/^end .*"reason":"exit","code":0/);
    expect(lines.at(-1)).toBe('fail state absent');
    expect(readdirSync(join(on.base, 'stages'))).toEqual(['hash1']);
  });

  it.each(settings)('ends processes of a lost run that no namespace held ($containment)', async (confinement, uid) => {
    const on = host(shell);
    const { attempt, survivor } = await loseSupervisor(on, confinement, uid);
    expect(on.call('inspect', 'run.0')).toEqual(['state lost 1', 'done']);
    expect(isRunning(survivor)).toBe(true);
    expect(on.call('remove', 'run.0')).toEqual(['fail living 1']);
    // A kill with another fence ends nothing.
    expect(on.call('kill', 'run.0', 0)).toEqual(['done']);
    expect(isRunning(survivor)).toBe(true);
    expect(on.call('kill', 'run.0', 1)).toEqual(['done']);
    expect(isRunning(survivor)).toBe(false);
    // A second kill is harmless, and writes no end.
    expect(on.call('kill', 'run.0', 1)).toEqual(['done']);
    expect(on.call('inspect', 'run.0')).toEqual(['state lost 1', 'done']);
    expect(on.call('remove', 'run.0')).toEqual(['done']);
    expect(existsSync(attempt.directory)).toBe(false);
  });

  it('ends processes of a lost run once it is expired, if its worker is gone for good', async () => {
    const on = host(shell);
    const { attempt, survivor } = await loseSupervisor(on, PROCESS_GROUP, null);
    const run = join(on.runs, 'run.0');
    expect(on.call('expire', 2 * DAY, 1e9)).toEqual(['done']);
    expect(isRunning(survivor)).toBe(true);
    const then = Date.now() / 1000 - 3 * DAY;
    for (const path of [attempt.ctl, attempt.directory, run]) utimesSync(path, then, then);
    expect(on.call('expire', 2 * DAY, 1e9)).toEqual(['done']);
    expect(isRunning(survivor)).toBe(false);
    expect(existsSync(run)).toBe(false);
  });

  it('ends no other process with a run of an older version, which has no mark', async () => {
    const on = host(shell);
    const { attempt } = await loseSupervisor(on, PROCESS_GROUP, null);
    const spec = join(attempt.ctl, 'spec');
    writeFileSync(spec, readFileSync(spec, 'utf8').replace(/^mark=.*\n/m, ''));
    const environment = { PATH: '/usr/bin:/bin', OPTIONS: "--mark none ''  " };
    const bystander = spawn('sleep', ['4812'], { env: environment, stdio: 'ignore' });
    const own = spawn('sleep', ['4812'], { env: { ...environment, HOME: attempt.work }, stdio: 'ignore' });
    // The kernel shows the environment of the new program only once it has started.
    for (const { pid = 0 } of [bystander, own])
      await expect.poll(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain(environment.OPTIONS);
    expect(on.call('kill', 'run.0', 1)).toEqual(['done']);
    await expect.poll(() => own.signalCode).toBe('SIGKILL');
    expect(bystander.signalCode).toBeNull();
    bystander.kill();
  });

  it('sends beats while a stage is copied, however long that takes', async () => {
    const { base, runs, words } = host(shell);
    const stage = join(base, 'stages', 'slow');
    for (const part of ['files', 'data']) mkdirSync(join(stage, part), { recursive: true });
    // The copy reads this pipe, and waits until the test writes to it.
    execFileSync('mkfifo', [join(stage, 'manifest')]);
    const pack = join(base, 'pack');
    mkdirSync(join(pack, 'ctl'), { recursive: true });
    for (const name of ['mutable', 'whole']) writeFileSync(join(pack, name), '');
    const child = spawn(words[0], [...words.slice(1), 'launch', 'run.0', '1', 'slow', '-', '1000', '1000']);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdin.end(execFileSync('tar', ['-cf', '-', '-C', pack, 'ctl', 'mutable', 'whole']));
    await expect.poll(() => output.match(/^beat 0$/gm)?.length ?? 0).toBeGreaterThan(1);
    expect(existsSync(join(runs, 'run.0', '1'))).toBe(false);
    writeFileSync(join(stage, 'manifest'), '');
    await once(child, 'close');
    expect(existsSync(join(runs, 'run.0', '1', 'work'))).toBe(true);
  });

  it('reports a claim without a living owner as lost, and a fresh one as claiming', () => {
    const { call, runs } = host(shell);
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8');
    const start = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19];
    const states = {
      'a.0': `${process.pid} 1 ${boot}`,
      'b.0': `${process.pid} ${start} 00000000-0000-0000-0000-000000000000`,
      'c.0': `${process.pid} ${start} ${boot}`,
      'd.0': undefined,
    };
    for (const [name, owner] of Object.entries(states)) {
      mkdirSync(join(runs, name, '3', 'ctl', 'claim'), { recursive: true });
      if (owner !== undefined) writeFileSync(join(runs, name, '3', 'ctl', 'claim', 'owner'), `${owner} 3\n`);
    }
    // A claim is fresh for a few seconds, and a slow machine may need them to get here.
    const later = Date.now() / 1000 + 60;
    utimesSync(join(runs, 'd.0', '3', 'ctl', 'claim'), later, later);
    const lines = Object.keys(states).map((name) => call('inspect', name)[0]);
    expect(lines).toEqual(['state lost 3', 'state lost 3', 'state claiming 3', 'state claiming 3']);
  });

  it('removes a tree that no path reaches to its end', () => {
    const { call, runs } = host(shell);
    const levels = 'n/'.repeat(400);
    const dig =
      'cd "$1" && for i in 1 2 3 4 5 6 7 8 9 10 11 12; ' +
      `do mkdir -p ${levels} && cd -P ./${levels}; done; echo x >last`;
    mkdirSync(join(runs, 'deep.0', '1'), { recursive: true });
    execFileSync('bash', ['-c', dig, 'bash', join(runs, 'deep.0', '1')]);
    expect(call('sweep', 0, 0)).toEqual(['swept 0 deep.0', 'done']);
    expect(readdirSync(runs)).toEqual([]);
  });

  it('keeps no part of a stage whose stream was cut', () => {
    const { base } = host(shell);
    const [program = '', ...first] = shell.split(' ');
    const folder = join(base, 'pack');
    mkdirSync(join(folder, 'files'), { recursive: true });
    writeFileSync(join(folder, 'files', 'x'), 'x');
    writeFileSync(join(folder, 'manifest'), '');
    // A complete archive for tar, but without the file `whole` at its end.
    const input = execFileSync('tar', ['-cf', '-', '-C', folder, 'files', 'manifest']);
    const words = [...first, join(base, 'bin', 'host-x.sh'), 'a', 'b', 'inst', 'stage', 'hash1'];
    const { stdout } = spawnSync(program, words, { input });
    expect(String(stdout)).toContain('the stream ended early');
    expect(readdirSync(join(base, 'stages'))).toEqual([]);
  });

  it('ends both processes of a follower when its input is closed', async () => {
    const { base } = host(shell);
    const [program = '', ...first] = shell.split(' ');
    const child = spawn(program, [...first, join(base, 'bin', 'host-x.sh'), 'a', 'b', 'inst', 'follow'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    child.stdin.end();
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
  });
});
