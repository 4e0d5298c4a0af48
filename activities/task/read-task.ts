import { join } from 'node:path';
import type { TaskLocation } from '../../domain/task/starting-text.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import type { ActivityDeps } from '../deps.ts';
import { refuse } from './require-runnable.ts';

/** What the machine lacks for a while; anything else that a file system says stays so until a person changes it. */
const MAY_PASS = ['EAGAIN', 'EBUSY', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'ESTALE', 'ETIMEDOUT'];

/** The task as its folder is now; one that cannot be used or read is refused, which ends the retries. */
export async function readTask(deps: Pick<ActivityDeps, 'tasks'>, nameOrPath: string): Promise<LoadedTask> {
  try {
    return await deps.tasks.loadTask(nameOrPath);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (['TaskError', 'CannotHideError'].includes(error.name)) throw refuse(error.message, 'BadTask');
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    // Only errors of system calls have both; a database has codes, too.
    if (code === undefined || syscall === undefined || MAY_PASS.includes(code)) throw error;
    throw refuse(
      `task: expected a folder that can be read at ${path ?? nameOrPath}, got ${error.message}; mend the path or its permissions`,
      'BadTask',
    );
  }
}

/** Where it lies, for the person who named it so. */
export const taskLocationOf = ({ folder, task: { workspace } }: LoadedTask, task: string): TaskLocation => ({
  task,
  workspace: join(folder, workspace),
});

/** What of it is stored. */
export function versionOf(loaded: LoadedTask): Omit<LoadedTask, 'folder' | 'positionOf'> {
  const { folder, positionOf: placeOf, ...version } = loaded;
  void [folder, placeOf];
  return version;
}
