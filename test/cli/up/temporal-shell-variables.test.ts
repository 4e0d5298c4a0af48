import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { temporalShellVariables } from '../../../cli/up/temporal-shell-variables.ts';

const root = mkdtempSync(join(tmpdir(), 'perpetua-shell-'));
afterAll(() => rmSync(root, { recursive: true }));
/** Makes a folder with a program named `temporal` that only sleeps. */
function folderWithCli(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  copyFileSync('/bin/sleep', join(folder, 'temporal'));
  return folder;
}

const at = { address: '127.0.0.1:40123', namespace: 'default' };
const shell = (env: Record<string, string>, temporal = at) =>
  temporalShellVariables(loadConfig({ PATH: '/nonexistent', PERPETUA_HOME: join(root, 'none'), ...env }), temporal);

test('a shell needs the address, and the folder of the binary that the stack keeps', () => {
  const [kept, opt] = [folderWithCli('my state/bin'), folderWithCli('opt')];
  const home = join(root, 'my state');
  expect(shell({ PERPETUA_HOME: home })).toEqual(['TEMPORAL_ADDRESS=127.0.0.1:40123', `PATH='${kept}':$PATH`]);
  expect(shell({ PERPETUA_HOME: home, TEMPORAL_CLI_PATH: join(opt, 'temporal') })[1]).toBe(`PATH=${opt}:$PATH`);
  expect(shell({ PERPETUA_HOME: home, PATH: opt })).toHaveLength(1);
  expect(shell({ PERPETUA_HOME: home }, { ...at, namespace: 'labs' })[1]).toBe('TEMPORAL_NAMESPACE=labs');
});

test('a folder is named only if it has the program, also the folder of a server from another shell', () => {
  expect(shell({})).toEqual(['TEMPORAL_ADDRESS=127.0.0.1:40123']);
  expect(shell({ TEMPORAL_CLI_PATH: '/opt/t/temporal' })).toHaveLength(1);
  const folder = folderWithCli('elsewhere');
  const server = spawn(join(folder, 'temporal'), ['600']);
  try {
    const home = join(root, 'running');
    mkdirSync(home);
    const owner = { pid: server.pid, startedAt: 's' };
    const temporal = { ...at, uiUrl: null, embedded: { ...owner, cli: '1', serverVersion: '1' } };
    const postgres = { url: 'postgres://x', embedded: null };
    const state = { version: 1, owner, writtenAt: '', temporal, postgres, workers: [] };
    writeFileSync(join(home, 'up.json'), JSON.stringify(state));
    expect(shell({ PERPETUA_HOME: home })[1]).toBe(`PATH=${folder}:$PATH`);
  } finally {
    server.kill('SIGKILL');
  }
});

test('a server that the environment names needs no variables', () => {
  expect(shell({ TEMPORAL_ADDRESS: 'temporal.example:7233' })).toEqual([]);
});
