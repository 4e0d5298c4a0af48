import { join } from 'node:path';
import type { TaskLocation } from '../../domain/task/starting-text.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import type { ActivityDeps } from '../deps.ts';
import { refuse } from './refuse.ts';

/**
 * Codes of errors that may pass by themselves. Any other error of a file system stays until a person fixes its cause.
 */
const MAY_PASS = ['EAGAIN', 'EBUSY', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'ESTALE', 'ETIMEDOUT'];

/** Reads a task as its folder is now. Refuses a task that cannot be used or read, which ends the retries. */
export async function readTask(deps: Pick<ActivityDeps, 'tasks'>, nameOrPath: string): Promise<LoadedTask> {
  try {
    return await deps.tasks.loadTask(nameOrPath);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (['TaskError', 'CannotHideError'].includes(error.name)) throw refuse(error.message, 'BadTask');
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    // Only errors of system calls have both; errors of a database also have a code.
    if (code === undefined || syscall === undefined || MAY_PASS.includes(code)) throw error;
    throw refuse(
      `task: expected a folder that can be read at ${path ?? nameOrPath}, got ${error.message}; ` +
        'mend the path or its permissions',
      'BadTask',
    );
  }
}

/** The location of a task for commands: its name or path as the person gave it, and its workspace folder. */
export const taskLocationOf = ({ folder, task: { workspace } }: LoadedTask, task: string): TaskLocation => ({
  task,
  workspace: join(folder, workspace),
});

/** The part of a loaded task that is stored as a version. */
export function versionOf(loaded: LoadedTask): Omit<LoadedTask, 'folder' | 'positionOf'> {
  const { folder, positionOf, ...version } = loaded;
  // Only the rest is needed; this marks the two others as used.
  void [folder, positionOf];
  return version;
}
