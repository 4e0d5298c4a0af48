import { expect, test } from 'vitest';
import { limitsOf } from '../../activities/run-spec.ts';
import { Task } from '../../domain/task/task.ts';

const taskOf = (run: object) =>
  Task.parse({
    name: 'toy',
    description: 'a toy',
    mutable: ['a.js'],
    run: { command: 'node a.js', ...run },
    metric: { name: 'loss', direction: 'minimize' },
    evaluator: { type: 'none' },
  });

test.each([
  ['cpu', 3, 36, 36],
  ['reference', 3, 36, 9],
  ['reference', 60, 360, 180],
  ['wall', 3, 36, null],
])('a budget of kind %s and %d s is cut at %d s of wall clock and %s s of CPU', (kind, seconds, wall, cpu) => {
  expect(limitsOf(taskOf({ budget: { seconds, kind } }))).toMatchObject({ wallSeconds: wall, cpuSeconds: cpu });
});

test('a time limit of the task is the one of wall clock', () => {
  const task = taskOf({ budget: { seconds: 3, kind: 'reference' }, timeoutSeconds: 12 });
  expect(limitsOf(task)).toMatchObject({ wallSeconds: 12, cpuSeconds: 9 });
});
