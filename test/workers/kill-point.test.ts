import { spawn, spawnSync } from 'node:child_process';
import events from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The words of a process that reaches two points, one after the other. */
const wordsOf = (kill: { at: string | null; once: string | null }): string[] => [
  '--input-type=module',
  '-e',
  `import { createKillPoint } from ${JSON.stringify(join(packageRoot(), 'dist/workers/kill-point.js'))};
   const reach = createKillPoint(${JSON.stringify(kill)});
   reach('lease-taken'); reach('mid-run'); console.log('alive');`,
];
const reach = (kill: { at: string | null; once: string | null }) =>
  spawnSync(process.execPath, wordsOf(kill), { encoding: 'utf8' });

test('a kill point takes its own process with SIGKILL, once, and remembers that across restarts', () => {
  const once = join(folder, 'once');
  expect(reach({ at: 'mid-run', once })).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  expect(existsSync(once)).toBe(true);
  expect(reach({ at: 'mid-run', once })).toMatchObject({ signal: null, status: 0, stdout: 'alive\n' });
});

test('a point that only stops its process lets it go on where it stood', async () => {
  const once = join(folder, 'stopped');
  const child = spawn(process.execPath, wordsOf({ at: 'mid-run:stop', once }), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const state = (): string | undefined => /\) (\S)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))?.[1];
  await expect.poll(state).toBe('T');
  expect([existsSync(once), said]).toEqual([true, '']);
  child.kill('SIGCONT');
  expect(await events.once(child, 'exit')).toEqual([0, null]);
  await expect.poll(() => said).toBe('alive\n');
});

test('a kill point that is not set, or never reached, does nothing', () => {
  const once = join(folder, 'never');
  for (const kill of [
    { at: null, once: null },
    { at: 'mid-run', once: null },
    { at: 'scored', once },
  ])
    expect(reach(kill)).toMatchObject({ signal: null, status: 0, stdout: 'alive\n' });
  expect(existsSync(once)).toBe(false);
});
