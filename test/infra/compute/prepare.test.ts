import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { bytes, never } from './conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-prepare-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

it.each([
  ['killed before it said who it is', undefined],
  ['of another boot', '1 1 00000000-0000-0000-0000-000000000000\n'],
  ['whose number another process has', `${process.ppid} 1 ${BOOT}\n`],
])('sets up once when several find the lock of a process %s', async (_, owner) => {
  const hash = `stage${owner?.length ?? 0}`;
  const hosts = [1, 2, 3].map(() => createLocalCompute({ home, installation: 'prepare-tests' }));
  for (const host of hosts) await host.stage(hash, [{ path: 'x', content: bytes('') }]);
  const lock = join(home, 'stages', hash, 'setup-lock');
  mkdirSync(lock);
  if (owner !== undefined) writeFileSync(join(lock, 'owner'), owner);
  const lines: string[] = [];
  const options = { onOutput: (line: string) => lines.push(line), signal: never };
  await Promise.all(hosts.map((host) => host.prepare(hash, ['echo begun; sleep 0.2; echo done'], options)));
  expect(lines).toEqual(['begun', 'done']);
});

const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

// One stays, one leaves the session, one drops its environment; each says who it is.
const TREE = `for how in "" setsid "env -i"; do $how /bin/sh -c 'echo $$; exec /bin/sleep 4700' & done; trap "" TERM HUP PIPE; wait`;

it('ends what a killed worker left of its setup before another begins its own', async () => {
  const host = createLocalCompute({ home, installation: 'prepare-tests' });
  await host.stage('killed', [{ path: 'x', content: bytes('') }]);
  const worker = spawn(process.execPath, ['--input-type=module', '-e', WORKER, home, TREE], {
    cwd: new URL('../../../', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  worker.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await expect.poll(() => said.trim().split('\n').length).toBe(3);
  const left = said.trim().split('\n').map(Number);
  worker.kill('SIGKILL');
  await once(worker, 'close');
  // The control: nothing else ends them.
  expect(left.map(isRunning)).toEqual([true, true, true]);
  let atStart: boolean[] = [];
  const onOutput = (): void => void (atStart = left.map(isRunning));
  await host.prepare('killed', ['echo begun'], { onOutput, signal: never });
  expect(atStart).toEqual([false, false, false]);
});

it('ends all that a cancelled setup started', async () => {
  const host = createLocalCompute({ home, installation: 'prepare-tests' });
  await host.stage('cancelled', [{ path: 'x', content: bytes('') }]);
  const started: number[] = [];
  const cancel = new AbortController();
  const onOutput = (line: string): void => {
    started.push(Number(line));
    if (started.length === 3) cancel.abort();
  };
  await expect(host.prepare('cancelled', [TREE], { onOutput, signal: cancel.signal })).rejects.toThrow('abort');
  expect(started.map(isRunning)).toEqual([false, false, false]);
  expect(await host.isPrepared('cancelled')).toBe(false);
});

// Runs the build, as workers do.
const WORKER = `
import { createLocalCompute } from './dist/infra/compute/local.js';
const compute = createLocalCompute({ home: process.argv[1], installation: 'prepare-tests' });
await compute.prepare('killed', [process.argv[2]], { onOutput: console.log, signal: new AbortController().signal });
`;
