import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refuse } from '../../../activities/task/refuse.ts';
import { withYamlPosition } from '../../../activities/task/require-runnable.ts';
import { packageRoot } from '../../../config/paths.ts';
import { loadTask, type LoadedTask } from '../../../tasks/load.ts';

let folder: string;
let loaded: LoadedTask;
let line: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perpetua-place-'));
  const task = join(folder, 'mine');
  await cp(join(packageRoot(), 'tasks/nano-lm'), task, { recursive: true });
  const yaml = (await readFile(join(task, 'task.yaml'), 'utf8')).replace(/^search:.*\n( .*\n)*/m, '');
  await writeFile(join(task, 'task.yaml'), `${yaml.trimEnd()}\nsearch:\n  proposer: llm\n`);
  line = yaml.trimEnd().split('\n').length + 2;
  loaded = await loadTask(task);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const refused = (message: string, namedElsewhere: string[] = []) =>
  expect(withYamlPosition({ loaded, namedElsewhere }, () => Promise.reject(refuse(message, 'BadTask')))).rejects;

test('a key that this machine cannot take is refused with its line and column', async () => {
  await refused('search.proposer: llm needs a model endpoint').toMatchObject({
    message: `mine/task.yaml:${line}:13 search.proposer: llm needs a model endpoint`,
    nonRetryable: true,
    type: 'BadTask',
  });
});

test('a key that the file does not have, or that was named elsewhere, has no place in it', async () => {
  await refused('budget.usd: expected a price').toThrow(/^budget\.usd: expected a price$/);
  await refused('search.proposer: llm needs …', ['search.proposer']).toThrow(/^search\.proposer: llm/);
});

test('any other error stays as it is', async () => {
  await refused('workflow id: expected another').toThrow(/^workflow id: /);
  const broken = withYamlPosition({ loaded, namedElsewhere: [] }, () =>
    Promise.reject(new Error('search.proposer: x')),
  );
  await expect(broken).rejects.toThrow(/^search\.proposer: x$/);
});
