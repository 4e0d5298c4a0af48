import { expect, test } from 'vitest';
import { preflightProblems } from '../../../domain/preflight/preflight-problems.ts';
import { Task } from '../../../domain/task/task.ts';
import { TASK } from '../../cli/support/lineage.ts';

test.each([
  ['maxBytes', { maxBytes: 3 }],
  ['forbidden', { forbidden: ['LR'] }],
])('checks that the unmodified files fail are refused by their key: %s', (key, preflight) => {
  const task = Task.parse({ ...TASK, preflight });
  expect(preflightProblems(task, { 'train.mjs': 'LR = 1' })).toMatchObject([{ path: ['preflight', key] }]);
  expect(preflightProblems(task, { 'train.mjs': 'x' })).toEqual([]);
});

test('a task without checks has no problem', () => {
  expect(preflightProblems(TASK, { 'train.mjs': 'x' })).toEqual([]);
});
