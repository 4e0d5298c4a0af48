import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { findTask } from '../../tasks/find-task.ts';
import { loadTask, type LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import { printNote, type Io } from '../io.ts';

export interface Located {
  loaded: LoadedTask;
  /** Task as workers receive it: a built-in name, or an absolute path. */
  task: string;
  /** Absolute path of the task's folder. */
  folder: string;
}

/** Loads a task by its built-in name or its folder. Throws TaskError with all its problems. */
export async function locateTask(io: Io, nameOrPath: string): Promise<Located> {
  const { packageRoot } = configOf(io);
  const builtin = join(packageRoot, 'tasks');
  const folder = await findTask(nameOrPath, { cwd: process.cwd(), builtin });
  const here = resolve(nameOrPath);
  if (existsSync(join(here, 'task.yaml')) && realpathSync(here) !== realpathSync(folder))
    printNote(io, `note: ${nameOrPath} is the known task in ${folder}; the one in this folder is ./${nameOrPath}`);
  // A task that comes with Perpetua is passed by name: the workers may run from another checkout.
  return { loaded: await loadTask(folder), task: dirname(folder) === builtin ? basename(folder) : folder, folder };
}
