import { expect, test } from 'vitest';
import { parentFiles } from '../../../activities/propose/parent-files.ts';
import type { ActivityDeps } from '../../../activities/deps.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';

const store = {
  trial: { loadCandidateFiles: () => Promise.resolve({ 'train.mjs': 'mine', 'old.mjs': 'was mutable' }) },
  task: {
    loadTaskFiles: () =>
      Promise.resolve([
        { path: 'train.mjs', content: Buffer.from('original') },
        { path: 'new.mjs', content: Buffer.from('original, too') },
      ]),
  },
} as unknown as ActivityDeps['store'];

test('a parent from before a change of task has the files that may be changed now, its own where it has them', async () => {
  const version = { hash: 'v', mutablePaths: ['new.mjs', 'train.mjs'] } as TaskVersion;
  expect(await parentFiles(store, { parentId: 'p', version })).toEqual({
    'new.mjs': 'original, too',
    'train.mjs': 'mine',
  });
});
