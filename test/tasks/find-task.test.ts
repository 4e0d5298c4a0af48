import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findTask, listTasks } from '../../tasks/find-task.ts';
import { makeTask } from './make-task.ts';

async function places(): Promise<{ cwd: string; builtin: string }> {
  const root = await makeTask();
  for (const path of [
    'builtin/nano-lm',
    'builtin/both',
    'builtin/template',
    'cwd/tasks/own',
    'cwd/tasks/both',
    'cwd/here',
  ]) {
    await mkdir(join(root, path), { recursive: true });
    await rename(join(await makeTask(), 'task.yaml'), join(root, path, 'task.yaml'));
  }
  await mkdir(join(root, 'builtin/no-task'));
  return { cwd: join(root, 'cwd'), builtin: join(root, 'builtin') };
}

it('finds a task by name, an own one before the built-in one', async () => {
  const at = await places();
  expect(await findTask('nano-lm', at)).toBe(join(at.builtin, 'nano-lm'));
  expect(await findTask('own', at)).toBe(join(at.cwd, 'tasks/own'));
  expect(await findTask('both', at)).toBe(join(at.cwd, 'tasks/both'));
  expect((await listTasks(at)).map(({ name }) => name)).toEqual(['both', 'nano-lm', 'own', 'template']);
});

it('finds a task by path: a folder, absolute or relative, or its task.yaml', async () => {
  const at = await places();
  for (const path of ['here', './here', 'here/', join(at.cwd, 'here'), 'here/task.yaml', '../cwd/here'])
    expect(await findTask(path, at)).toBe(join(at.cwd, 'here'));
});

it('names the file that a folder has instead of a task.yaml', async () => {
  const at = await places();
  await mkdir(join(at.cwd, 'yml'));
  await rename(join(await makeTask(), 'task.yaml'), join(at.cwd, 'yml/task.yml'));
  await mkdir(join(at.cwd, 'folder/task.yaml'), { recursive: true });
  await expect(findTask('yml', at)).rejects.toThrow(/yml has no file task\.yaml\. Rename its task\.yml to task\.yaml$/);
  await expect(findTask('folder', at)).rejects.toThrow(/Its task\.yaml is no regular file: replace it by one$/);
});

it('lists the known tasks and suggests the nearest for an unknown name', async () => {
  const at = await places();
  await expect(findTask('nanolm', at)).rejects.toThrow(
    'There is no task "nanolm": it is no known task (both, nano-lm, own), ' +
      `and there is no folder ${join(at.cwd, 'nanolm')}. Did you mean nano-lm?`,
  );
  for (const name of ['', 'no-task', '../builtin/no-task', '__proto__', '/nowhere', 'a\nb', 'x'.repeat(5000)])
    await expect(findTask(name, at)).rejects.toThrow('There is no task "');
});
