import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findDashboards, findListening } from '../../../cli/dashboard/process.ts';
import { dashboardFiles } from '../../../config/dashboard/files.ts';
import { readSecret } from '../../../config/dashboard/secret.ts';
import { packageRoot } from '../../../config/paths.ts';
import { readLastUpFile, readUpFile } from '../../../config/up-file.ts';
import type { Setup } from '../../../dashboard/api/setup.ts';
import { SHARED_ROOT } from '../../../infra/postgres/data-folder.ts';
import { sendRequest } from '../../dashboard/server/support.ts';
import { testCli, throwawayHome } from '../../support/servers.ts';
import { run } from '../support/cli.ts';

const LONG = { timeout: 240_000, interval: 100 };
/** Pause between two presses of Ctrl-C, longer than the time in which one press may arrive twice. */
const NEXT_PRESS_MS = 500;

let home: string;
let env: Record<string, string>;
let up: ChildProcess;
let data: string | undefined;
let text = '';

beforeEach(async () => {
  home = await throwawayHome();
  // Simulates a server that must be built first: it starts once the file `go` exists.
  const cli = join(home, 'temporal.sh');
  const wait = `while [ ! -e "${home}/go" ]; do sleep .1; done`;
  const real = (await testCli()).path;
  await writeFile(cli, `#!/bin/sh\n[ "$1" = --version ] || ${wait}\nexec "${real}" "$@"\n`, { mode: 0o755 });
  env = { PATH: process.env.PATH ?? '', PERPETUA_HOME: home, TEMPORAL_CLI_PATH: cli, PERPETUA_SLOTS: '1' };
  text = '';
}, 900_000);

afterEach(async () => {
  if (up.exitCode === null) {
    await writeFile(join(home, 'go'), '');
    const gone = once(up, 'exit');
    up.kill('SIGTERM');
    await sleep(NEXT_PRESS_MS);
    up.kill('SIGTERM');
    await gone;
  }
  if (data && dirname(dirname(data)) === SHARED_ROOT) await rm(dirname(data), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true, maxRetries: 20 });
});

/** Starts the real command in a process of its own. */
function startUp(...args: string[]): void {
  up = spawn(process.execPath, [join(packageRoot(), 'dist/cli/main.js'), 'up', '--no-demo', '--json', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [up.stdout, up.stderr]) stream?.on('data', (more: Buffer) => (text += more.toString()));
}
const printed = () =>
  text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
const isUp = () => vi.waitFor(() => expect(printed()).toContainEqual(expect.objectContaining({ event: 'up' })), LONG);

test('the dashboard answers before Temporal runs, shows progress of the start, and ends with the stack', async () => {
  startUp('--steer');
  const { port, pid } = await vi.waitFor(() => {
    const listening = findListening(home);
    if (!listening) throw new Error(`no dashboard: ${text}`);
    return listening;
  }, LONG);
  const { path = '', token = '' } = readSecret(home) ?? {};
  const get = async (resource: string) => {
    const answer = await sendRequest(port, `/${path}/api/v1/${resource}`, { headers: { cookie: `perpetua=${token}` } });
    return { status: answer.status, ...(JSON.parse(answer.text) as object) };
  };
  const setup = () => get('setup') as Promise<Setup & { status: number }>;
  const states = async () => (await setup()).steps.map(({ part, state }) => `${part} ${state}`);
  await vi.waitFor(async () => expect(await states()).toContain('temporal running'), LONG);
  expect(await states()).toContain('postgres done');
  expect(await get('steering')).toMatchObject({ status: 200, on: true });
  expect((await setup()).done).toBe(false);
  expect(await get('researches')).toMatchObject({
    status: 503,
    code: 'away',
    error: expect.stringContaining('no tables yet') as string,
  });

  await writeFile(join(home, 'go'), '');
  await isUp();
  data = (await readUpFile(home))?.postgres.embedded?.dataDir;
  expect(await setup()).toMatchObject({ status: 200, done: true });
  expect((await states()).filter((state) => /running|failed/.test(state))).toEqual([]);
  await vi.waitFor(async () => expect(await get('researches')).toMatchObject({ status: 200, researches: [] }), LONG);
  const at = `http://127.0.0.1:${port}`;
  expect(printed()).toContainEqual({ event: 'ready', part: 'dashboard', text: expect.stringContaining(at) as string });
  expect(printed()).toContainEqual(expect.objectContaining({ event: 'up', dashboard: at }));
  expect((await readUpFile(home))?.dashboard).toMatchObject({ port, pid });
  expect((await run(['dashboard', '--json'], { env })).json()).toEqual([
    { url: `${at}/${path}/enter/${token}`, host: '127.0.0.1', port, pid },
  ]);
  // This output is no terminal and may be kept in a log, so it has no secret.
  expect(text).not.toContain(path);
  expect(text).not.toContain(token);

  const gone = once(up, 'exit');
  up.kill('SIGTERM');
  expect(await gone).toEqual([0, null]);
  expect(findDashboards(home)).toEqual([]);
  expect(existsSync(dashboardFiles(home).open)).toBe(false);
  expect((await readLastUpFile(home))?.dashboard?.port).toBe(port);
});

test('up --no-dashboard starts no dashboard, and leaves no file of one in the home', async () => {
  await writeFile(join(home, 'go'), '');
  startUp('--no-dashboard');
  await isUp();
  const state = await readUpFile(home);
  data = state?.postgres.embedded?.dataDir;
  expect(state?.dashboard).toBeNull();
  expect(printed()).toContainEqual(expect.objectContaining({ event: 'up', dashboard: null }));
  expect(findDashboards(home)).toEqual([]);
  expect(existsSync(join(home, 'dashboard'))).toBe(false);
});
