import { spawn, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { readUpFile } from '../../../config/up-file.ts';
import { isAlive } from '../../../infra/process/identity.ts';
import { testCli, throwawayHome } from '../../support/servers.ts';

const LONG = { timeout: 200_000, interval: 200 };
/** True if `script` is installed: it gives a program a terminal, and closes that when it is killed. */
const hasScript = spawnSync('script', ['--version']).status === 0;

let home: string;
beforeAll(async () => void (home = await throwawayHome()));
afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));

test.skipIf(!hasScript)('a terminal that is closed ends the stack in order, servers and all', async () => {
  const { path } = await testCli();
  const command = `exec '${process.execPath}' '${join(packageRoot(), 'dist/cli/main.js')}' up --no-demo --no-dashboard`;
  const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', PERPETUA_HOME: home, TEMPORAL_CLI_PATH: path, SHELL: '/bin/sh' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  terminal.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await vi.waitFor(() => expect(text).toContain('Everything is up'), LONG);
  const state = await readUpFile(home);
  const all = [state?.owner, state?.temporal.embedded, state?.postgres.embedded].flatMap((found) => found ?? []);
  expect(all).toHaveLength(3);
  terminal.kill('SIGKILL');
  await vi.waitFor(() => expect(all.some((each) => isAlive(each))).toBe(false), LONG);
  expect(await readUpFile(home)).toBeNull();
});
