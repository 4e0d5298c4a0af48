import { spawn, spawnSync } from 'node:child_process';
import events from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-kill-'));
const file = join(folder, 'kill');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Arguments of Node for a process that reaches two kill points, one after the other. */
const argumentsOf = (file: string | null): string[] => [
  '--input-type=module',
  '-e',
  `import { createKillPoint } from ${JSON.stringify(join(packageRoot(), 'dist/workers/kill-point.js'))};
   const reach = createKillPoint(${JSON.stringify(file)});
   reach('lease-taken'); reach('mid-run'); console.log('alive');`,
];
const reach = (file: string | null) => spawnSync(process.execPath, argumentsOf(file), { encoding: 'utf8' });
const ALIVE = { signal: null, status: 0, stdout: 'alive\n' };

test('a kill point ends its own process with SIGKILL and deletes the file, so that it acts once', () => {
  writeFileSync(file, 'mid-run');
  expect(reach(file)).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  expect(existsSync(file)).toBe(false);
  expect(reach(file)).toMatchObject(ALIVE);
});

test('a process that a kill point only stops can go on from there, and die at another point', async () => {
  writeFileSync(file, 'lease-taken:stop');
  const child = spawn(process.execPath, argumentsOf(file), { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const state = (): string | undefined => /\) (\S)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))?.[1];
  await expect.poll(state).toBe('T');
  expect([existsSync(file), output]).toEqual([false, '']);
  writeFileSync(file, 'mid-run');
  child.kill('SIGCONT');
  expect(await events.once(child, 'exit')).toEqual([null, 'SIGKILL']);
});

test('a kill point that is not set, not asked for, or never reached, does nothing', () => {
  expect(reach(null)).toMatchObject(ALIVE);
  expect(reach(file)).toMatchObject(ALIVE);
  writeFileSync(file, 'scored');
  expect(reach(file)).toMatchObject(ALIVE);
  expect(existsSync(file)).toBe(true);
});
