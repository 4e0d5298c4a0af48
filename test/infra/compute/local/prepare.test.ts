import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { bytes, never } from '../conformance/support.ts';

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

it('sees only those GPUs of this machine that its worker may see', async () => {
  const machine = { visibleGpus: '1', gpuOrder: 'PCI_BUS_ID' };
  const host = createLocalCompute({ home, installation: 'prepare-tests', ...machine });
  await host.stage('seen', [{ path: 'x', content: bytes('') }]);
  const lines: string[] = [];
  const options = { onOutput: (line: string) => lines.push(line), signal: never };
  await host.prepare('seen', ['echo $CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER'], options);
  expect(lines).toEqual(['1 PCI_BUS_ID']);
});

const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

// Three processes: one stays, one leaves the session, one drops its environment. Each prints its pid.
const TREE =
  `for how in "" setsid "env -i"; do $how /bin/sh -c 'echo $$; exec /bin/sleep 4700' & done; ` +
  `trap "" TERM HUP PIPE; wait`;

it('ends the processes of a killed worker’s setup before another setup begins', async () => {
  const host = createLocalCompute({ home, installation: 'prepare-tests' });
  await host.stage('killed', [{ path: 'x', content: bytes('') }]);
  const worker = spawn(process.execPath, ['--input-type=module', '-e', WORKER, home, TREE], {
    cwd: new URL('../../../../', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  worker.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output.trim().split('\n').length).toBe(3);
  const survivors = output.trim().split('\n').map(Number);
  worker.kill('SIGKILL');
  await once(worker, 'close');
  // The control: nothing else ends them.
  expect(survivors.map(isRunning)).toEqual([true, true, true]);
  let atStart: boolean[] = [];
  const onOutput = (): void => void (atStart = survivors.map(isRunning));
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

it('starts nothing for a setup that was cancelled just before', async () => {
  const host = createLocalCompute({ home, installation: 'prepare-tests' });
  await host.stage('early', [{ path: 'x', content: bytes('') }]);
  const cancel = new AbortController();
  const lines: string[] = [];
  const options = {
    onOutput: (line: string) => lines.push(line),
    onBegin: () => cancel.abort(),
    signal: cancel.signal,
  };
  await expect(host.prepare('early', ['echo ran'], options)).rejects.toThrow('abort');
  expect(lines).toEqual([]);
});

/** Starts the setup of a stage and returns once it runs; after `goOn()`, the setup runs the commands. */
async function underWay(hash: string, commands: string) {
  const host = createLocalCompute({ home, installation: 'prepare-tests' });
  await host.stage(hash, [{ path: 'x', content: bytes('') }]);
  const root = join(home, 'stages', hash);
  let up = (): void => undefined;
  const begun = new Promise<void>((resolve) => (up = resolve));
  const command = `echo up; while [ ! -e "$HOME/go" ]; do sleep .02; done; ${commands}`;
  const setup = host.prepare(hash, [command], { onOutput: () => up(), signal: never });
  setup.catch(() => undefined);
  await begun;
  return { host, root, setup, goOn: () => writeFileSync(join(root, 'go'), '') };
}

it('does not mark another stage as prepared that took the place of its own', async () => {
  const copy = 'cd "$HOME"; mkdir "$HOME.other"; cp -r files data manifest.json "$HOME.other"';
  const { host, setup, goOn } = await underWay('moved', `${copy}; mv "$HOME" "$HOME.aside"; mv "$HOME.other" "$HOME"`);
  goOn();
  await expect(setup).rejects.toMatchObject({ name: 'StageMissingError' });
  expect([await host.isStaged('moved'), await host.isPrepared('moved')]).toEqual([true, false]);
});

it('fails for all who wait for it with StageMissingError if the stage was moved meanwhile', async () => {
  const { host, setup, goOn } = await underWay('gone', 'mv "$HOME" "$HOME.aside"');
  const waiting = host.prepare('gone', ['true'], { onOutput: () => undefined, signal: never });
  waiting.catch(() => undefined);
  goOn();
  for (const prepared of [setup, waiting]) await expect(prepared).rejects.toMatchObject({ name: 'StageMissingError' });
});

// This worker runs the build, as real workers do.
const WORKER = `
import { createLocalCompute } from './dist/infra/compute/local.js';
const compute = createLocalCompute({ home: process.argv[1], installation: 'prepare-tests' });
await compute.prepare('killed', [process.argv[2]], { onOutput: console.log, signal: new AbortController().signal });
`;
