import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgramOnce } from '../../../cli/source/run-program-once.ts';
import { isRunning } from '../../support/process/is-running.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'perpetua-once-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const runLine = (command: string, signal = new AbortController().signal) =>
  runProgramOnce(
    {
      command,
      files: [],
      env: { PATH: '/usr/bin:/bin', NOTES: root },
      parents: [root],
      evaluation: null,
      onUntraced: () => undefined,
      onEnded: () => undefined,
    },
    signal,
  );
const pidIn = async (name: string): Promise<number> => Number(await readFile(join(root, name), 'utf8'));

test('a run ends with its command: processes that it leaves in the background are killed', async () => {
  const { stdout, writtenFiles } = await runLine('sleep 3600 & echo $! > "$NOTES/left"; echo 1 > out; echo done');
  expect(stdout).toBe('done\n');
  expect(writtenFiles.map(({ path }) => path)).toEqual(['out']);
  const left = await pidIn('left');
  await expect.poll(() => isRunning(left)).toBe(false);
});

test('a run that is stopped ends with all its processes', async () => {
  const stopped = new AbortController();
  const line = 'sleep 3600 & echo $! > "$NOTES/stopping"; mv "$NOTES/stopping" "$NOTES/stopped"; wait';
  const running = runLine(line, stopped.signal);
  await expect.poll(() => existsSync(join(root, 'stopped'))).toBe(true);
  stopped.abort();
  await expect(running).rejects.toThrow('ended with SIGKILL');
  const left = await pidIn('stopped');
  await expect.poll(() => isRunning(left)).toBe(false);
});
