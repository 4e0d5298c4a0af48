import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTask } from '../../../../cli/source/make-task.ts';
import { FENCE, tryHostOf, type TryHost } from '../../../../cli/source/try/open-try-host.ts';
import { startOfProcess } from '../../../../infra/compute/local/attempt/owner.ts';
import { specOf } from '../../../infra/compute/conformance/support.ts';

let root: string;
let home: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'perpetua-try-host-'));
  home = join(root, 'home');
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Makes a task of a program in the home; returns the text on stderr. */
async function make(name: string): Promise<string> {
  const source = join(root, name);
  await mkdir(source);
  await writeFile(join(source, 'train.sh'), 'RATE=1.5\necho "loss: $RATE"\n');
  let output = '';
  const io = { stdout: { write: () => true }, stderr: { write: (text: string) => (output += text) } };
  const env = { PERPETUA_HOME: home, PATH: '/usr/bin:/bin' };
  const options = { source, run: 'sh train.sh', metric: 'loss', minimize: true, budget: '10' };
  await makeTask({ ...io, env }, { ...options, out: join(root, `${name}-task`) });
  return output;
}

/** Starts the run of a process that is killed before the run ends. */
async function abandonedRun(): Promise<TryHost> {
  const command = spawn('sleep', ['infinity']);
  await once(command, 'spawn');
  const pid = command.pid ?? 0;
  const host = tryHostOf(home, { pid, start: (await startOfProcess(pid)) ?? '' });
  await host.compute.stage('stage1', []);
  await host.compute.launch({ ...specOf('sleep 1000'), ...host.run, fence: FENCE });
  command.kill('SIGKILL');
  await once(command, 'exit');
  return host;
}

test('a start removes the run of a killed start, keeps that of a running one, and leaves none of its own', async () => {
  const abandoned = await abandonedRun();
  const parent = { pid: process.ppid, start: (await startOfProcess(process.ppid)) ?? '' };
  const running = tryHostOf(home, parent);
  await running.compute.launch({ ...specOf('sleep 1000'), ...running.run, fence: FENCE });
  expect(await make('one')).toMatch(/unmodified +loss 1\.500$/m);
  expect(await abandoned.compute.inspect(abandoned.run)).toEqual({ state: 'absent' });
  const names = (await readdir(join(home, 'runs'))).filter((name) => name.startsWith('source-try-'));
  expect(names).toEqual([`source-try-${parent.pid}-${parent.start}`]);
  expect((await running.compute.inspect(running.run)).state).not.toBe('absent');
  await running.close();
  expect(existsSync(join(home, 'runs', names[0] ?? ''))).toBe(false);
});
