import { expect, it } from 'vitest';
import { loadTask } from '../../tasks/load.ts';
import { GOOD, makeTask } from './make-task.ts';

it('a mutable file with the name under which an answer replaces the memory of its model is refused', async () => {
  const files = { 'workspace/PERPETUA-MEMORY.md': 'x' };
  const mutable = { 'task.yaml': GOOD.replace('[main.js]', '["*.js", "*.md"]'), ...files };
  await expect(loadTask(await makeTask(mutable))).rejects.toThrow(/mutable: expected no file PERPETUA-MEMORY\.md/);
  expect((await loadTask(await makeTask(files))).mutablePaths).toEqual(['main.js']);
});
