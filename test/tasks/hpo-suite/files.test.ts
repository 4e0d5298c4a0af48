import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadTask } from '../../../tasks/load.ts';

const TASK = resolve('tasks/hpo-suite');

test('run and evaluator have the same models.py', () => {
  const [run, evaluator] = ['workspace', 'evaluator'].map((folder) => readFileSync(join(TASK, folder, 'models.py')));
  expect(run).toEqual(evaluator);
});

test('each data set is a drawn file, and the workspace contains no rows of it', async () => {
  const { task } = await loadTask(TASK);
  const draws = task.evaluator.type === 'artefact' ? (task.evaluator.draws ?? []) : [];
  expect(draws.map(({ path }) => path)).toEqual(['digits.csv', 'breast_cancer.csv', 'wine.csv', 'diabetes.csv']);
  for (const { path } of draws)
    expect(readFileSync(join(TASK, 'workspace', path), 'utf8')).toMatch(/^# Drawn by each installation\..*\n$/);
});

test('each package of the lock has hashes', () => {
  const lock = readFileSync(join(TASK, 'requirements.lock'), 'utf8');
  const packages = lock.split(/^(?=\w)/m).filter((part) => part.includes('=='));
  expect(packages.map((part) => part.split('==')[0])).toContain('scikit-learn');
  for (const part of packages) expect(part).toContain('--hash=sha256:');
});

test('the evaluator has time for its limit of CPU seconds with a twentieth of a core', async () => {
  const { task } = await loadTask(TASK);
  const score = readFileSync(join(TASK, 'evaluator/score.py'), 'utf8');
  const cpuSeconds = Number(/^CPU_SECONDS = (\d+)$/m.exec(score)?.[1]);
  const timeout = task.evaluator.type === 'artefact' ? task.evaluator.timeoutSeconds : 0;
  expect(timeout).toBeGreaterThanOrEqual(20 * cpuSeconds);
});

test('each exploit says in its first line what it tries', () => {
  const exploits = readdirSync(join(TASK, 'exploits'));
  expect(exploits.length).toBeGreaterThanOrEqual(4);
  for (const exploit of exploits)
    expect(readFileSync(join(TASK, 'exploits', exploit, 'train.py'), 'utf8')).toMatch(/^# [A-Z]/);
});
