import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTask } from '../../../activities/task/read-task.ts';
import { loadTask } from '../../../tasks/load.ts';

const failing = (error: unknown) =>
  readTask({ tasks: { shownFiles: () => ({}), loadTask: () => Promise.reject(error as Error) } }, '/tasks/toy').catch(
    (thrown: unknown) => thrown,
  );
const systemError = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: told by the system, open`), { code, syscall: 'open', errno: -1, path });

describe('a task folder', () => {
  test.each(['EACCES', 'ELOOP', 'ENAMETOOLONG', 'ENOTDIR', 'EISDIR', 'ENOENT', 'EPERM'])(
    'that the system refuses to read (%s) is refused with its path, and not read again',
    async (code) => {
      const message = expect.stringMatching(
        RegExp(`^task: expected .* at /tasks/toy/a, got ${code}: .*; mend`),
      ) as string;
      const refusal = { type: 'BadTask', nonRetryable: true, message };
      expect(await failing(systemError(code, '/tasks/toy/a'))).toMatchObject(refusal);
      expect(await failing(systemError(code))).toMatchObject({
        message: expect.stringContaining('/tasks/toy') as string,
      });
    },
  );

  test.each(['EMFILE', 'ENFILE', 'EIO', 'ENOSPC', 'EAGAIN'])(
    'that cannot be read for a while (%s) is read again',
    async (code) => {
      const error = systemError(code, '/tasks/toy');
      expect(await failing(error)).toBe(error);
    },
  );

  test('is not blamed for what is no error of the file system', async () => {
    const error = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    expect(await failing(error)).toBe(error);
  });

  test('whose workspace is a link to itself is refused with the path that cannot be followed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'perpetua-task-'));
    await cp('tasks/template/task.yaml', join(folder, 'task.yaml'));
    await symlink('workspace', join(folder, 'workspace'));
    const refused = await readTask({ tasks: { loadTask, shownFiles: () => ({}) } }, folder).catch(
      (error: unknown) => error,
    );
    await rm(folder, { recursive: true });
    const message = expect.stringContaining(`at ${folder}/workspace, got ELOOP`) as string;
    expect(refused).toMatchObject({ type: 'BadTask', nonRetryable: true, message });
  });
});
