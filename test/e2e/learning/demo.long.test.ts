import { execFile } from 'node:child_process';
import { appendFile, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { SHARED_ROOT } from '../../../infra/postgres/data-folder.ts';
import { endServers } from '../../support/policy/end-servers.ts';
import { testCli, throwawayHome } from '../../support/servers.ts';
import { FAKE_ENV, learningTask } from './support.ts';

let home: string;
beforeAll(async () => {
  home = await throwawayHome();
});
afterAll(async () => {
  await endServers(home);
  const data = await realpath(join(home, 'postgres', 'data')).catch(() => '');
  if (dirname(dirname(data)) === SHARED_ROOT) await rm(dirname(data), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true, maxRetries: 20 });
});

test('`up --until-ended` prints each update and what was learnt, and ends with the research', async () => {
  const task = await learningTask(home, 'shown');
  await appendFile(join(task, 'task.yaml'), 'budget: { proposals: 24 }\nreferences: [{ name: the best, value: 1 }]\n');
  const { path } = await testCli();
  const env = { PATH: process.env.PATH ?? '', PERPETUA_HOME: home, TEMPORAL_CLI_PATH: path, ...FAKE_ENV };
  const words = [join(packageRoot(), 'dist/cli/main.js'), 'up', '--until-ended', '--task', task];
  // If it does not end, `up` stops its stack at the signal and exits with 0: the assertion shows what it printed.
  const options = { env, timeout: 330_000 };
  const up = async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, words, options);
    return { lines: stdout.split('\n'), said: stdout + stderr };
  };
  for (const { lines, said } of [await up(), await up()]) {
    expect(
      lines.filter((line) => line.startsWith('update ')).map((line) => line.slice(0, 8)),
      said,
    ).toEqual(['update 1', 'update 2', 'update 3']);
    expect(lines.find((line) => line.startsWith('learnt: '))).toMatch(
      /beyond the first draws: .*; the best 1\.00 \(not shifted .*\); gates that fired: none$/,
    );
    expect(lines).toContain('· stopped');
  }
  const last = [join(packageRoot(), 'scripts/evaluate-last.mjs'), 'shown', '8', 'demo'];
  const evaluate = async () => (await promisify(execFile)(process.execPath, last, options)).stdout.split('\n');
  const evaluated = await evaluate();
  expect(evaluated[0]).toBe('· evaluating version 3, the last one, with 8 samples and fresh seeds');
  expect(evaluated.find((line) => line.startsWith('  score '))).toMatch(/over 8 scored runs$/);
  expect(await evaluate()).toEqual(evaluated);
});
