import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesOf } from '../../../bench/support/processes-of.ts';

test('processes of a folder are those that name it in their words, and those that only work in it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'perpetua-processes-'));
  const run = join(home, 'runs/one');
  mkdirSync(run, { recursive: true });
  const started = [
    spawn('sleep', ['60'], { cwd: run }),
    spawn('sh', ['-c', 'sleep 60; :', run], { cwd: '/', detached: true }),
    spawn('sleep', ['60'], { cwd: home }),
  ];
  try {
    const [inside, naming] = started.map(({ pid }) => String(pid));
    const found = () => processesOf(home).map((line) => line.split(':')[0]);
    // Each has the words of who starts it at first.
    await expect.poll(() => found().sort()).toEqual([inside, naming].sort());
    expect(processesOf(home, 'stages')).toEqual([]);
  } finally {
    process.kill(-(started[1]?.pid ?? 0));
    for (const child of started) child.kill();
    rmSync(home, { recursive: true });
  }
});
