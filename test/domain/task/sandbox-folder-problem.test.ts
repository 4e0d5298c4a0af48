import { expect, it } from 'vitest';
import { pathProblems } from '../../../domain/task/contradictions/path-problems.ts';
import { sentenceOf } from '../../../domain/issue/problem.ts';
import { Task } from '../../../domain/task/task.ts';

/** The problems of a task that names these folders of its machine. */
const problems = (run: { path?: string[]; readable?: string[] }): string[] =>
  pathProblems(
    Task.parse({
      name: 'tiny',
      description: 'a tiny task',
      mutable: ['main.js'],
      run: { command: 'node main.js', budget: { seconds: 2 }, ...run },
      metric: { name: 'loss', direction: 'minimize', from: 'stdout' },
      evaluator: { type: 'none' },
    }),
  ).map((problem) => `${problem.path.join('.')}: ${sentenceOf(problem)}`);

it.each([
  ['/', 'it holds more than a run should see'],
  ['/home/me', 'it holds more than a run should see'],
  ['/home//me/', 'it holds more than a run should see'],
  ['/root', 'it holds more than a run should see'],
  ['/tmp', 'it holds more than a run should see'],
  ['/proc/1/root', "it is the system's own"],
  ['/var/run', "it is the system's own"],
  ['/home/me/.ssh', 'programs keep keys in .ssh'],
  ['/root/.config/gcloud', 'programs keep keys in .config'],
  ['/data/../root', 'it has . or .. as a part'],
  ['/data:/root', 'it holds a colon or control characters'],
  ['~/venv/bin', 'it is not absolute'],
])('a task cannot show its runs %s', (folder, why) => {
  expect(problems({ path: [folder], readable: ['/data', folder] })).toEqual([
    expect.stringMatching(/^run\.path\.0: expected a folder of programs on the machine, got the text /),
    expect.stringContaining(`: ${why}; give the absolute path`),
  ]);
});

it('a task can show its runs a folder of a home, and one of the system', () => {
  const path = ['/home/me/venv/bin', '/root/.pyenv/versions/3.12.1/bin', '/usr/lib/go/bin'];
  expect(problems({ path, readable: ['/data', '/mnt', '/home/me/data', '/var/lib/data'] })).toEqual([]);
});
