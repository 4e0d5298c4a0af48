import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Compute } from '../../../infra/compute.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { environmentKey } from '../../../infra/python/environments.ts';
import { getUv, uvEnvironment } from '../../../infra/python/uv.ts';
import { installEnvironment } from '../../../infra/trainer/tool-environment.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import { lockedBy, realEnvironments, SIX, UV_CACHE, findBuildablePython } from '../../support/python.ts';
import { bytes, followToEnd, specOf } from '../compute/conformance/support.ts';
import { testHosts } from '../compute/ssh/support/hosts.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-python-'));
const compute = createLocalCompute({ home, installation: 'python-tests' });
afterAll(() => rmSync(home, { recursive: true, force: true }));
const hosts = testHosts();
const { python, lacks } = await findBuildablePython(compute);
if (lacks !== null) console.warn(`environments are not built in these tests: ${lacks}`);

const environments = realEnvironments();
const locked = lockedBy(SIX, python);
const watching = { onOutput: () => undefined, signal: AbortSignal.timeout(300_000) };

/** Output of a run with the environment. */
async function runOn(host: Compute, command: string): Promise<string> {
  await host.stage('python-run', [{ path: 'main.txt', content: bytes('') }]);
  const environment = await environments.nameOn(host, locked);
  const spec = specOf(command, { stageHash: 'python-run', environment });
  await host.launch(spec);
  return (await followToEnd(host, spec)).text;
}

test('clean finds the name of an environment from the stored hash of its lock, on any host', async () => {
  const there = { version: '3.11.2', folder: '/usr', path: '/usr/bin/python3.11', build: 'any' };
  const host = { host: 'h', findPythons: async () => ({ machine: 'Linux x86_64', fits: there, others: [] }) };
  const name = await realEnvironments().nameOn(host as unknown as Compute, locked);
  const files = locked.files.map(({ path, content }) => ({
    path,
    hash: createHash('sha256').update(content).digest('hex'),
  }));
  expect(name).toBe(`${environmentKey({ ...locked, files })}_any`);
});

describe.skipIf(lacks !== null)('the Python environment of a task', () => {
  test('comes first on the PATH of a run, which finds its packages and cannot change them', async () => {
    const script = 'import six, sys; print(six.__version__, sys.prefix); open(six.__file__, "a")';
    const text = await runOn(compute, `python -c '${script}'; echo $HOME $OMP_NUM_THREADS`);
    const venv = join(home, 'stages', await environments.nameOn(compute, locked), 'data', 'venv');
    expect(text).toContain(`1.17.0 ${venv}`);
    expect(text).toMatch(/PermissionError|Read-only file system/);
    expect(text).toMatch(/^\/\S+ 1$/m);
    expect(statSync(join(venv, 'pyvenv.cfg')).mode & 0o222).toBe(0);
  });

  test('has a name that depends on its lock and its version, and on nothing else of the task', async () => {
    const inputs = [locked, lockedBy(SIX, python), lockedBy('six==1.17.0\n', python), lockedBy(SIX, '3')];
    const [name, same, ...others] = await Promise.all(inputs.map((input) => environments.nameOn(compute, input)));
    expect(same).toBe(name);
    expect(new Set([name, ...others]).size).toBe(3);
  });

  test('is built without hashes, too, once for two builds at once, and again after a killed build', async () => {
    const bare = lockedBy('six==1.17.0\n', python);
    const name = await environments.nameOn(compute, bare);
    const killed = spawn(process.execPath, ['--input-type=module', '-e', BUILDER, home, UV_CACHE, python], {
      cwd: new URL('../../../', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    expect(await compute.isPrepared(name)).toBe(false);
    let built = 0;
    const counting = { ...watching, onOutput: (line: string) => void (built += line.startsWith('built with') ? 1 : 0) };
    const others = [1, 2].map(() => createLocalCompute({ home, installation: 'python-tests' }));
    await Promise.all(others.map((host) => realEnvironments().build(host, bare, counting)));
    expect(built).toBe(1);
    expect(await compute.isPrepared(name)).toBe(true);
  });

  test('is built from a lock of uv, too', async () => {
    const folder = mkdtempSync(join(home, 'project-'));
    const project =
      `[project]\nname = "any"\nversion = "1"\n` + `requires-python = ">=3.9"\ndependencies = ["six==1.17.0"]\n`;
    writeFileSync(join(folder, 'pyproject.toml'), project);
    const env = installEnvironment(process.env);
    const uv = await getUv('python3', { env, cache: UV_CACHE });
    execFileSync(uv, ['lock', '--quiet', '--project', folder], { env: await uvEnvironment('python3', env) });
    const files = ['uv.lock', 'pyproject.toml'].map((path) => ({ path, content: readFileSync(join(folder, path)) }));
    const ofProject = { environment: { python, lock: 'uv.lock' }, files };
    await environments.build(compute, ofProject, watching);
    expect(await compute.isPrepared(await environments.nameOn(compute, ofProject))).toBe(true);
  });

  test.each([
    [
      'a hash that is another',
      SIX.replace('4721', '4722'),
      /expected requirements.lock to install on local; uv reported: error: .*six==1.17.0.*, cause: Hash mismatch/,
    ],
    [
      'packages that need others',
      'requests==2.32.3\n',
      /lock: expected all dependencies of its packages in .*; it lacks .*idna/,
    ],
  ])('is refused for %s', async (_, lock, says) => {
    await expect(environments.build(compute, lockedBy(lock, python), watching)).rejects.toThrow(says);
  });

  test('is refused if no index is reachable, with that reason', async () => {
    const nowhere = 'http://127.0.0.1:1/simple';
    const cut = { UV_DEFAULT_INDEX: nowhere, UV_INDEX: nowhere, UV_HTTP_RETRIES: '0' };
    const alone = createLocalCompute({ home: mkdtempSync(join(home, 'alone-')), installation: 'python-tests' });
    const away = realEnvironments({ ...cut, UV_CACHE_DIR: mkdtempSync(join(home, 'uv-')) });
    const refused = away.build(alone, locked, watching);
    await expect(refused).rejects.toThrow(
      /^environment.lock: expected local to reach a package index, reached none \(error: .*, cause: .*refused.*\); /,
    );
    await expect(refused).rejects.toThrow(/\); open its network, or set a mirror in its pip.conf$/);
    expect(await alone.isPrepared(await environments.nameOn(alone, locked))).toBe(false);
  });

  test('is refused for a version that no index has, with the installed versions', async () => {
    await expect(environments.build(compute, lockedBy(SIX, '3.2'), watching)).rejects.toThrow(
      /environment.python: expected Python 3.2 on local, found \d.*, and uv could not fetch it/,
    );
  });

  test.skipIf(noSshd !== undefined)(`is built by a host for itself ${noSshd ?? ''}`, async () => {
    const host = hosts.connect(await hosts.start());
    await environments.build(host, locked, watching);
    const asked = 'python -c "import six, sys; print(six.__version__); print(sys.prefix)"';
    const [version, prefix = ''] = (await runOn(host, asked)).split('\n');
    expect(version).toBe('1.17.0');
    // Simulates a person who removes the interpreter that this link leads to.
    rmSync(join(prefix, 'bin', 'python'));
    expect(await host.isPrepared(await environments.nameOn(host, locked))).toBe(false);
    await environments.build(host, locked, watching);
    expect(await host.isPrepared(await environments.nameOn(host, locked))).toBe(true);
  });
});

/** Program that builds the environment and prints each line of the build. */
const BUILDER = `
import { createLocalCompute } from './dist/infra/compute/local.js';
import { createEnvironments } from './dist/infra/python/environments.js';
import { installEnvironment } from './dist/infra/trainer/tool-environment.js';
const [home, cache, python] = process.argv.slice(1);
const files = [{ path: 'requirements.lock', content: Buffer.from('six==1.17.0\\n') }];
const locked = { environment: { python, lock: 'requirements.lock' }, files };
const compute = createLocalCompute({ home, installation: 'python-tests' });
const watching = { onOutput: (line) => console.log(line), signal: new AbortController().signal };
await createEnvironments({ env: installEnvironment(process.env), cache }).build(compute, locked, watching);
`;
