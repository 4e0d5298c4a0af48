import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { SHARED_ROOT } from '../../infra/postgres/data-folder.ts';
import { testCli } from '../support/servers.ts';
import { writeTask } from '../support/tasks.ts';

const MAIN = join(packageRoot(), 'dist/cli/main.js');
const root = mkdtempSync(join(tmpdir(), 'perpetua-environments-'));
chmodSync(root, 0o755);
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 20 }));
let task: string;
let cli: string;
beforeAll(async () => {
  cli = (await testCli()).path;
  task = await writeTask(join(root, 'a task'), { task: { budget: { trials: 2 } } });
}, 900_000);

interface Kind {
  /** Prepares a home below the folder, and returns its path. */
  home?: (folder: string) => string;
  env?: Record<string, string>;
  /** Line of a shell before the command. */
  before?: string;
  /** First words of the command line. */
  within?: string[];
}

/** Runs a research of two trials from `up` to its end in a home of its own. */
async function research(name: string, { home = (folder) => folder, env = {}, before = ':', within = [] }: Kind) {
  const folder = join(root, name);
  mkdirSync(folder);
  const path = home(folder);
  const command = ['sh', '-c', `${before}; exec "$@"`, 'sh', process.execPath, MAIN, 'up', '--no-dashboard'];
  const [program = '', ...args] = within.concat(command, ['--task', task, '--until-ended']);
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', TEMPORAL_CLI_PATH: cli, PERPETUA_HOME: path, ...env },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ends the stack of a research that hangs.
    signal: AbortSignal.timeout(300_000),
  }).on('error', () => undefined);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const data = /data in (\/.*)$/m.exec(stdout)?.[1];
  if (data && dirname(dirname(data)) === SHARED_ROOT) rmSync(dirname(data), { recursive: true, force: true });
  return { code, stdout, stderr };
}

/** Expects that the research ended by its budget, and that nothing looks like a stack trace. */
function expectEnded({ code, stdout, stderr }: Awaited<ReturnType<typeof research>>): void {
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/budget.trials is spent: 2 of 2/) as string,
  });
  expect(stdout + stderr).not.toMatch(/^\s+at \S+ ?\(|node:internal/m);
}

const isRoot = process.getuid?.() === 0;
const netns = isRoot && spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

describe('a research runs from its start to its end', () => {
  test('with a closed umask, a home behind a link and with blanks, another language, time zone and proxy', async () => {
    const hook = join(root, 'hook.cjs');
    // Gone once the command has loaded it, so that the worker has to start without it.
    writeFileSync(hook, `require('fs').rmSync(__filename)`);
    const kind: Kind = {
      home: (folder) => {
        mkdirSync(join(folder, "my user's folder"));
        symlinkSync(join(folder, "my user's folder"), join(folder, 'link'));
        return join(folder, 'link', 'a home');
      },
      env: {
        LANG: 'C',
        LC_ALL: 'C',
        TZ: 'Pacific/Auckland',
        http_proxy: 'http://127.0.0.1:9',
        https_proxy: 'http://127.0.0.1:9',
        grpc_proxy: 'http://127.0.0.1:9',
        no_proxy: 'example.com, ',
        NODE_OPTIONS: `--inspect=127.0.0.1:0 --max-old-space-size=2048 --require ${hook}`,
        PYTHONPATH: join(root, 'nowhere'),
      },
      before: 'umask 077; mkdir gone; cd gone; rmdir ../gone',
    };
    expectEnded(await research('shell', kind));
  });

  test('with a proxy that gRPC does not support, umask 000, and the language of another country', async () => {
    const env = {
      HTTPS_PROXY: 'socks5://127.0.0.1:9',
      ALL_PROXY: 'socks5://127.0.0.1:9',
      LANG: 'de_DE.UTF-8',
      LANGUAGE: 'de',
    };
    const ended = await research('loose', { env, before: 'umask 000' });
    expectEnded(ended);
    expect(ended.stderr).not.toContain('not supported');
    const open = spawnSync('find', [join(root, 'loose'), '-perm', '/022', '!', '-type', 'l'], { encoding: 'utf8' });
    // The folder of the test itself.
    expect(
      open.stdout
        .trim()
        .split('\n')
        .filter((path) => path !== join(root, 'loose')),
    ).toEqual(['']);
  });

  test.runIf(netns)('without IPv6', async () => {
    const script = 'sysctl -qw net.ipv6.conf.all.disable_ipv6=1; ip link set lo up; exec "$@"';
    expectEnded(await research('no-ipv6', { within: ['unshare', '--net', 'sh', '-c', script, 'sh'] }));
  });
});

describe('an environment in which nothing can start is named in words', () => {
  /** Runs a command line of a shell, with the command as "$@". */
  const shell = (script: string, argv: string[], env: Record<string, string> = {}) =>
    spawnSync('sh', ['-c', script, 'sh', process.execPath, MAIN, ...argv], {
      env: { PATH: process.env['PATH'] ?? '', TEMPORAL_CLI_PATH: cli, ...env },
      cwd: root,
      encoding: 'utf8',
    });

  test.runIf(netns)('without a loopback address', () => {
    const home = join(root, 'no-loopback');
    const { status, stderr } = shell('exec unshare --net "$@"', ['up', '--no-demo'], { PERPETUA_HOME: home });
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^Expected to reach this machine at 127.0.0.1, .* got ENETUNREACH. .*\n$/,
      ) as string,
    });
  });

  test('in a folder that was deleted, without a home elsewhere', () => {
    const { status, stderr } = shell('mkdir gone && cd gone && rmdir ../gone && exec "$@"', ['list']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'Expected the current folder to exist; it was deleted. ' +
        'Change to another folder (cd), or set PERPETUA_HOME to an absolute path.\n',
    });
  });

  test('with a full disk or a closed pipe below the output', () => {
    const full = shell('exec "$@" >/dev/full', ['--help']);
    expect(full).toMatchObject({
      status: 1,
      stderr: 'Expected to write the output; it failed: ENOSPC: no space left on device, write.\n',
    });
    const quiet = shell('exec "$@" 2>/dev/full', ['nonsense']);
    expect({ status: quiet.status, stdout: quiet.stdout }).toEqual({ status: 2, stdout: '' });
    const closed = shell('{ "$@"; echo "code $?" >code; } | true', ['--help']);
    expect({ stderr: closed.stderr, code: readFileSync(join(root, 'code'), 'utf8') }).toEqual({
      stderr: '',
      code: 'code 0\n',
    });
  });
});
