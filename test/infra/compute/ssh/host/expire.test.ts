import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadScripts } from '../../../../../infra/compute/ssh/scripts.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { noSshd } from '../../../../support/machine/sshd.ts';
import { bytes, followToEnd, LIMITS, specOf } from '../../conformance/support.ts';
import { testHosts } from '../support/hosts.ts';

const scripts = await loadScripts();
const bases: string[] = [];
afterAll(() => bases.forEach((base) => execFileSync('rm', ['-rf', base])));

const DAY = 86_400;
/** Sets the age of a path and all files in it, in days. */
const age = (path: string, days: number): void => {
  const then = Date.now() / 1000 - days * DAY;
  const all = execFileSync('find', [path, '-depth', '-print0'], { encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const entry of all) utimesSync(entry, then, then);
};

/** A scratch folder of a host, and ways to fill it. */
function scratch() {
  const base = mkdtempSync(join(tmpdir(), "perpetua host's-"));
  bases.push(base);
  for (const folder of ['bin', 'stages', 'runs/inst', 'runs/others'])
    mkdirSync(join(base, folder), { recursive: true });
  const script = join(base, 'bin', 'host-x.sh');
  writeFileSync(script, scripts.host);
  return {
    base,
    expire: (days: number, kilobytes: number) =>
      execFileSync('sh', [script, '', '', 'inst', 'expire', String(days * DAY), String(kilobytes)], {
        encoding: 'utf8',
      }),
    runs: (installation: string) => readdirSync(join(base, 'runs', installation)).sort(),
    stages: () => readdirSync(join(base, 'stages')).sort(),
    /** Makes a run directory whose claim names the owner; returns the directory. */
    run: (name: string, { installation = 'inst', stage = 's', owner = '', ended = true } = {}) => {
      const folder = join(base, 'runs', installation, name);
      mkdirSync(join(folder, '1/ctl/claim'), { recursive: true });
      writeFileSync(join(folder, '1/stage'), `${stage}\n`);
      writeFileSync(join(folder, '1/ctl/claim/owner'), owner);
      if (ended) writeFileSync(join(folder, '1/ctl/ended.json'), '{}\n');
      else writeFileSync(join(folder, '1/ctl/started.json'), '{}\n');
      return folder;
    },
    stage: (name: string, kilobytes: number) => {
      const folder = join(base, 'stages', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'data'), Buffer.alloc(kilobytes * 1024, 1));
      return folder;
    },
  };
}

describe('expiry on a host', () => {
  it('removes run directories of its installation that started and ended long ago', () => {
    const on = scratch();
    age(on.run('old'), 15);
    age(on.run('other', { installation: 'others' }), 15);
    const late = on.run('ended-late');
    age(late, 15);
    age(join(late, '1/ctl/ended.json'), 1);
    on.run('fresh');
    expect(on.expire(14, 1e9)).toBe('done 0\n');
    expect(on.runs('inst')).toEqual(['ended-late', 'fresh']);
    expect(on.runs('others')).toEqual(['other']);
  });

  it('keeps a run of another machine in a folder that both share', () => {
    const on = scratch();
    const shared = on.run('of-another', { ended: false, owner: '77 77 another-boot 1\n' });
    writeFileSync(join(shared, '1/machine'), 'another machine\n');
    age(shared, 40);
    age(on.run('lost-here', { ended: false, owner: '77 77 another-boot 1\n' }), 40);
    on.expire(14, 1e9);
    expect(on.runs('inst')).toEqual(['of-another']);
    age(shared, 45);
    writeFileSync(join(shared, '1/ctl/usage'), '1 1 \n');
    on.expire(14, 1e9);
    // The run is older than all others, but its supervisor still reports usage.
    expect(on.runs('inst')).toEqual(['of-another']);
    // Without a recent report, no run of that machine can still be running.
    age(shared, 45);
    on.expire(14, 1e9);
    expect(on.runs('inst')).toEqual([]);
  });

  it('keeps a run that its supervisor still watches, however old', async () => {
    const on = scratch();
    const child = spawn('sleep', ['4840']);
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const start = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19];
    age(on.run('long', { ended: false, owner: `${child.pid} ${start} ${boot} 1\n` }), 40);
    age(on.run('lost', { ended: false, owner: `${child.pid} 1 ${boot} 1\n` }), 40);
    on.expire(14, 1e9);
    expect(on.runs('inst')).toEqual(['long']);
    expect(isRunning(child.pid ?? 0)).toBe(true);
    child.kill();
  });

  it('removes workspaces above the size, least recently used first, but none that a run or a setup needs', async () => {
    const on = scratch();
    age(on.stage('a-needed', 400), 30);
    on.run('r', { installation: 'others', stage: 'a-needed' });
    const inSetup = on.stage('b-in-setup', 400);
    writeFileSync(join(inSetup, 'setup.lock'), '');
    age(inSetup, 29);
    age(on.stage('c-oldest', 400), 9);
    age(on.stage('d-old', 400), 8);
    age(on.stage('e-newer', 400), 7);
    on.stage('f-of-now', 400);
    const setup = spawn('flock', [join(inSetup, 'setup.lock'), 'sleep', '4841'], { stdio: 'ignore', detached: true });
    await expect
      .poll(() =>
        execFileSync('sh', ['-c', `flock -n '${inSetup.replaceAll("'", `'\\''`)}/setup.lock' true || echo held`]),
      )
      .toEqual(Buffer.from('held\n'));
    on.expire(14, 1e9);
    expect(on.stages()).toHaveLength(6);
    // Six workspaces of about 400 kB each: two have to go.
    on.expire(14, 1900);
    expect(on.stages()).toEqual(['a-needed', 'b-in-setup', 'e-newer', 'f-of-now']);
    on.expire(14, 1);
    expect(on.stages()).toEqual(['a-needed', 'b-in-setup', 'f-of-now']);
    process.kill(-(setup.pid ?? 0));
  });

  it("keeps the environment of a run's Python, however long ago it was built", () => {
    const on = scratch();
    for (const name of ['env1_2', 'env3_4']) age(on.stage(name, 400), 30);
    writeFileSync(join(on.run('r', { installation: 'others', stage: 's' }), '1/environment'), 'env1_2\n');
    on.expire(14, 1);
    expect(on.stages()).toEqual(['env1_2']);
  });

  it('removes workspaces that were set aside, but none that a run is made from, also of an older version', () => {
    const on = scratch();
    const [used, unused] = ['a'.repeat(32), 'b'.repeat(32)];
    for (const id of [used, unused, '7', '8']) age(on.stage(`.damaged-${id}-named`, 1), 15);
    for (const name of ['.damaged-9-old-one', '.damaged-9-other']) age(on.stage(name, 1), 15);
    writeFileSync(join(on.run('new', { installation: 'others', stage: 'named' }), '1/stage-id'), `${used}\n`);
    writeFileSync(join(on.run('older', { installation: 'others', stage: 'named' }), '1/stage-inode'), '7\n');
    on.run('old', { installation: 'others', stage: 'old-one' });
    on.expire(14, 1e9);
    expect(on.stages()).toEqual(['.damaged-7-named', '.damaged-9-old-one', `.damaged-${used}-named`]);
  });
});

const { start, connect } = testHosts();
describe.skipIf(noSshd !== undefined)(`a run on a host ${noSshd ?? ''}`, () => {
  it('removes what is expired, at most once an hour', async () => {
    const sshd = await start();
    const compute = connect(sshd, { keepDays: 2 });
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    const old = (name: string): string => {
      const folder = join(sshd.home, '.perpetua-host/runs/ssh-tests', name);
      mkdirSync(folder, { recursive: true });
      age(folder, 3);
      return folder;
    };
    const [first, other] = [old('one.0'), join(sshd.home, '.perpetua-host/stages')];
    const launch = async () => {
      const spec = specOf('echo hello');
      await compute.launch(spec);
      expect((await followToEnd(compute, spec)).text).toBe('hello\n');
    };
    await launch();
    await expect.poll(() => existsSync(first)).toBe(false);
    expect(readdirSync(other)).toContain('stage1');
    const marker = join(sshd.home, '.perpetua-host/.expired-ssh-tests');
    const second = old('two.0');
    age(marker, 0.03);
    await launch();
    expect(existsSync(second)).toBe(true);
    age(marker, 0.05);
    await launch();
    await expect.poll(() => existsSync(second)).toBe(false);
  });

  it('ends at its own limit, even if the controller and the connection are gone for good', async () => {
    const sshd = await start();
    const compute = connect(sshd);
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    // Without a sandbox: building one may exceed the limit, and the run would be lost.
    const spec = specOf('echo $HOME; exec sleep 4842', { sandbox: 'none', limits: { ...LIMITS, wallSeconds: 4 } });
    await compute.launch(spec);
    compute.close();
    await sshd.stop();
    const runs = join(sshd.home, '.perpetua-host/runs/ssh-tests');
    const [run = ''] = readdirSync(runs);
    const end = join(runs, run, '5/ctl/ended.json');
    await expect.poll(() => existsSync(end)).toBe(true);
    expect(JSON.parse(readFileSync(end, 'utf8'))).toMatchObject({ reason: 'wall', treeGone: true });
  });
});
