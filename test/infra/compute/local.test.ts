import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { attemptOf, layoutOf, runDirectory, stageDirectory } from '../../../infra/compute/run-protocol/paths.ts';
import type { RunSpec } from '../../../infra/compute.ts';
import { isRunning } from '../../support/process/is-running.ts';
import { testCompute } from './conformance.ts';
import { bytes, followToEnd, LIMITS, specOf, eventsOf } from './conformance/support.ts';

// Homes of users may have blanks and quotes in their paths.
const home = mkdtempSync(join(tmpdir(), "perpetua local's-"));
/** A folder that runs of the suite may read, except for the state in it. */
const shown = join(home, 'shown');
const create = () => createLocalCompute({ home, installation: 'local-tests' });

testCompute({
  name: `this machine, as ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}`,
  create: async () => {
    mkdirSync(shown);
    return createLocalCompute({ home: join(shown, 'state'), installation: 'conformance', readable: [shown] });
  },
  stages: () => join(shown, 'state', 'stages'),
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const controlOf = (run: RunSpec): string => attemptOf(runDirectory(layoutOf(home, 'local-tests'), run), run.fence).ctl;
/** Bytes that this process has read so far. */
const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
const pidIn = (file: string): number => Number(readFileSync(file, 'utf8').split(' ')[0]);
describe('a run whose supervisor is killed', () => {
  const compute = create();
  beforeAll(() => compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]));

  async function loseSupervisor(command: string): Promise<{ spec: RunSpec; init: number }> {
    const spec = specOf(command);
    await compute.launch(spec);
    for await (const event of eventsOf(compute, spec)) if (event.type === 'output') break;
    process.kill(pidIn(join(controlOf(spec), 'claim/owner')), 'SIGKILL');
    await expect.poll(async () => (await compute.inspect(spec)).state).toBe('lost');
    return { spec, init: pidIn(join(controlOf(spec), 'init')) };
  }

  it('is lost, to its follower too, and takes its processes along', async () => {
    const { spec, init } = await loseSupervisor('echo up; sleep 4600');
    expect((await followToEnd(compute, spec)).last).toEqual({ type: 'lost' });
    expect(await compute.inspect(spec)).toEqual({ state: 'lost' });
    await expect.poll(() => isRunning(init)).toBe(false);
    // Killing the run again is harmless, and writes no end.
    await compute.kill(spec, spec.fence);
    expect(await compute.inspect(spec)).toEqual({ state: 'lost' });
  });

  it('starts again only under a higher fence, in a fresh copy', async () => {
    const { spec } = await loseSupervisor('echo up; test ! -e mark && touch mark && sleep 4601');
    await compute.launch(spec);
    expect(await compute.inspect(spec)).toEqual({ state: 'lost' });
    const again = { ...spec, fence: spec.fence + 1, command: 'test ! -e mark && echo fresh' };
    await compute.launch(again);
    expect(await followToEnd(compute, again)).toMatchObject({ text: 'fresh\n', end: { exitCode: 0 } });
    await compute.launch({ ...spec, fence: spec.fence + 2 });
    expect((await compute.inspect(spec)).state).toBe('ended');
  });

  it('is claimed again under a higher fence if its supervisor died between claim and start', async () => {
    const spec = specOf('echo never');
    // A supervisor that died leaves a claim, an `owner` file that names a dead process, and no start.
    const claim = join(controlOf(spec), 'claim');
    mkdirSync(claim, { recursive: true });
    const dead = spawn('sleep', ['4606']);
    await once(dead, 'spawn');
    const start = readFileSync(`/proc/${dead.pid}/stat`, 'utf8').split(' ')[21];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    writeFileSync(join(claim, 'owner'), `${dead.pid} ${start} ${boot} ${spec.fence}\n`);
    // The run counts as running while the owner lives.
    expect(await compute.inspect(spec)).toEqual({ state: 'running' });
    dead.kill('SIGKILL');
    await once(dead, 'exit');
    expect(await compute.inspect(spec)).toEqual({ state: 'lost' });
    await compute.launch(spec);
    expect(await compute.inspect(spec)).toEqual({ state: 'lost' });
    const again = { ...spec, fence: spec.fence + 1, command: 'echo taken over' };
    await compute.launch(again);
    expect(await followToEnd(compute, again)).toMatchObject({ text: 'taken over\n', end: { exitCode: 0 } });
    // A late launch with the lower fence does not get the claim back.
    await compute.launch(spec);
    expect(await compute.inspect(spec)).toMatchObject({ state: 'ended', end: { exitCode: 0 } });
    expect(existsSync(join(controlOf(spec), 'started.json'))).toBe(false);
  });

  it('is not mistaken for a process that got its number', async () => {
    const { spec } = await loseSupervisor('echo up; sleep 4602');
    const owner = join(controlOf(spec), 'claim/owner');
    const [, start, boot] = readFileSync(owner, 'utf8').split(' ');
    const stranger = spawn('sleep', ['4603']);
    await once(stranger, 'spawn');
    for (const file of [owner, join(controlOf(spec), 'init')])
      writeFileSync(file, `${stranger.pid} ${start} ${boot} ${spec.fence}\n`);
    expect(await compute.inspect(spec)).toEqual({ state: 'lost' });
    await compute.kill(spec, spec.fence);
    expect(isRunning(stranger.pid ?? 0)).toBe(true);
    stranger.kill('SIGKILL');
  });

  it('that ended is marked if the machine was rebooted since, which may have ended it', async () => {
    const spec = specOf('exit 3');
    await compute.launch(spec);
    await expect.poll(() => compute.inspect(spec)).toMatchObject({ state: 'ended' });
    expect(await compute.collect(spec, { artefacts: [] })).toMatchObject({ rebooted: false });
    const owner = join(controlOf(spec), 'claim/owner');
    writeFileSync(owner, readFileSync(owner, 'utf8').replace(/[0-9a-f-]{36}/, '00000000-0000-0000-0000-000000000000'));
    expect(await compute.collect(spec, { artefacts: [] })).toMatchObject({ rebooted: true, end: { exitCode: 3 } });
  });

  it('is lost after a reboot, though a process has its number and start time', async () => {
    const spec = specOf('sleep 4604');
    await compute.launch(spec);
    const owner = join(controlOf(spec), 'claim/owner');
    const text = readFileSync(owner, 'utf8');
    writeFileSync(owner, text.replace(/[0-9a-f-]{36}/, '00000000-0000-0000-0000-000000000000'));
    expect(await compute.inspect(spec)).toEqual({ state: 'lost' });
    writeFileSync(owner, text);
    await compute.kill(spec, spec.fence);
  });
});

describe('this machine', () => {
  const compute = create();
  beforeAll(() => compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]));

  it('ends a run at once if it is killed before its supervisor claimed it', async () => {
    const spec = specOf('sleep 4605');
    await compute.launch(spec);
    await compute.kill(spec, spec.fence);
    // A directory without a claim: its worker died after making the directory, before starting the supervisor.
    const staged = specOf('echo never');
    const control = controlOf(staged);
    mkdirSync(control, { recursive: true });
    writeFileSync(join(control, 'spec'), readFileSync(join(controlOf(spec), 'spec'), 'utf8'));
    expect(await compute.inspect(staged)).toEqual({ state: 'staged' });
    await compute.kill(staged, staged.fence);
    await compute.launch(staged);
    expect(await compute.inspect(staged)).toMatchObject({ state: 'ended', end: { reason: 'killed' } });
  });

  it('still launches runs after its supervisor script was removed', async () => {
    const first = specOf('true');
    await compute.launch(first);
    rmSync(join(home, 'bin'), { recursive: true });
    const specs = [specOf('echo one'), specOf('echo two')];
    await Promise.all(specs.map((spec) => compute.launch(spec)));
    const texts = await Promise.all(specs.map(async (spec) => (await followToEnd(compute, spec)).text));
    expect(texts).toEqual(['one\n', 'two\n']);
  });

  it('names nothing after a trial, and keeps two installations apart', async () => {
    const spec = specOf('true', { jobId: 'my-research/1' });
    await compute.launch(spec);
    expect(runDirectory(layoutOf(home, 'local-tests'), spec)).not.toContain('research');
    expect(readdirSync(join(home, 'runs', 'local-tests')).every((name) => /^[0-9a-f]{16}\.\d+$/.test(name))).toBe(true);
    const other = createLocalCompute({ home, installation: '../../etc' });
    expect(await other.inspect(spec)).toEqual({ state: 'absent' });
    expect(dirname(runDirectory(layoutOf(home, '../../etc'), spec))).toMatch(/runs\/[0-9a-f]{16}$/);
  });

  it('shows a file that grew without reading it, and the first few of many', async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `fixed/${i}`);
    await compute.stage(
      'stage30',
      paths.map((path) => ({ path, content: bytes('fixed') })),
    );
    const limits = { ...LIMITS, diskMb: 1000 };
    const spec = specOf('for file in fixed/*; do truncate -s 300M "$file"; done', { stageHash: 'stage30', limits });
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).end).toMatchObject({ reason: 'exit', exitCode: 0 });
    const before = bytesRead();
    const { changed } = await compute.collect(spec, { artefacts: [] });
    expect(bytesRead() - before).toBeLessThan(100_000_000);
    expect(paths).toEqual(expect.arrayContaining(changed));
    expect(changed).toHaveLength(10);
  });

  it('reads the manifest of a stage that an older version made, of hashes alone', async () => {
    await compute.stage('stage-old', [{ path: 'fixed', content: bytes('fixed') }]);
    const hash = createHash('sha256').update('fixed').digest('hex');
    writeFileSync(
      join(stageDirectory(layoutOf(home, 'local-tests'), 'stage-old'), 'manifest.json'),
      `{"fixed":"${hash}"}`,
    );
    const changedBy = async (command: string): Promise<string[]> => {
      const spec = specOf(command, { stageHash: 'stage-old' });
      await compute.launch(spec);
      await followToEnd(compute, spec);
      return (await compute.collect(spec, { artefacts: [] })).changed;
    };
    expect(await changedBy('true')).toEqual([]);
    expect(await changedBy('printf fixeD > fixed')).toEqual(['fixed']);
    expect(await changedBy('echo more >> fixed')).toEqual(['fixed']);
  });

  it('reports how much a running run has written, as its supervisor measured it', async () => {
    const spec = specOf('head -c 4000000 /dev/zero > x; echo made; sleep 600');
    await compute.launch(spec);
    const writtenMb = async (): Promise<number | undefined> => {
      const found = await compute.inspect(spec);
      return found.state === 'running' ? found.writtenMb : NaN;
    };
    await expect.poll(writtenMb, { timeout: 60_000 }).toBeGreaterThan(3);
    expect(await writtenMb()).toBeLessThan(5);
    // A program without a sandbox may replace the file with anything.
    const file = join(controlOf(spec), 'written');
    execFileSync('mkfifo', [`${file}.pipe`]);
    renameSync(`${file}.pipe`, file);
    expect(await writtenMb()).toBeUndefined();
    await compute.kill(spec, spec.fence);
  });

  it('says what it protects, in words', async () => {
    const none = await compute.protections('none');
    expect(none).toMatchObject({ sandboxed: false, network: false, filesystem: false });
    expect(none.exposure).toContain('read your keys');
    const some = await compute.protections('required');
    expect(some.sandboxed ? some.network && some.filesystem && some.processes : some.notes.length > 1).toBe(true);
  });

  it("lets a conversation die with its worker, though the program ignores the pipe's end", async () => {
    const spec = specOf('true');
    await compute.launch(spec);
    await followToEnd(compute, spec);
    const worker = spawn(process.execPath, ['--input-type=module', '-e', WORKER, home, JSON.stringify(spec)], {
      cwd: new URL('../../../', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(worker.stdout, 'data');
    const attempt = dirname(controlOf(spec));
    const talk = readdirSync(attempt).find((name) => name.startsWith('talk-')) ?? '';
    const init = pidIn(join(attempt, talk, 'ctl/init'));
    expect(isRunning(init)).toBe(true);
    worker.kill('SIGKILL');
    await expect.poll(() => isRunning(init)).toBe(false);
  });
});

// This worker runs the build, as real workers do.
const WORKER = `
import { createLocalCompute } from './dist/infra/compute/local.js';
const compute = createLocalCompute({ home: process.argv[1], installation: 'local-tests' });
const command = "trap '' TERM HUP PIPE; echo up; while :; do sleep 4606; done";
const spec = { ...JSON.parse(process.argv[2]), files: [], command };
const talk = await compute.converse(spec);
for await (const chunk of talk.output) console.log(String(chunk));
`;
