import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { loadTask } from '../../../tasks/load.ts';
import { judge, python, TASK } from './judge.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparse-parity-'));
  await cp(join(TASK, 'workspace'), folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

test('a run leaves the unmodified program as the artefact, which the evaluator scores', async () => {
  expect((await python(folder, 'run.py', 2)).code).toBe(0);
  const artefact = await readFile(join(folder, 'program.txt'));
  expect(artefact).toEqual(await readFile(join(folder, 'solve.py')));
  expect((await judge(artefact)).code).toBe(0);
});

test('a run of a program that is not in the language fails with its line, and executes nothing', async () => {
  const path = join(folder, 'solve.py');
  const before = await readFile(path);
  await writeFile(path, "open('executed', 'w')\ndef solve():\n    return 0\n");
  const { code, reason } = await python(folder, 'run.py', 2);
  await writeFile(path, before);
  expect([code, reason]).toEqual([1, expect.stringMatching(/^solve.py: line 1: expected NAME = constant/)]);
  expect(await readdir(folder)).not.toContain('executed');
});

test('the run and the evaluator have the same language and problems', async () => {
  const { workspace, evaluatorFiles } = await loadTask(TASK);
  const textOf = (files: readonly { path: string; content: Uint8Array }[]) =>
    Object.fromEntries(
      files
        .filter(({ path }) => path === 'problems.py' || path.startsWith('tracked/'))
        .map(({ path, content }) => [path, Buffer.from(content).toString()]),
    );
  const here = textOf(workspace);
  expect(Object.keys(here)).toHaveLength(7);
  expect(textOf(evaluatorFiles)).toEqual(here);
});

test('the task has no contradictions', async () => {
  expect(contradictions((await loadTask(TASK)).task)).toEqual([]);
});
