import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { findTask } from '../../tasks/find-task.ts';
import { loadTask, type LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import { printNote, type Io } from '../io.ts';

export interface Located {
  loaded: LoadedTask;
  /** What the workers are given: a built-in name, or an absolute path. */
  task: string;
  /** Where it lies, as an absolute path. */
  folder: string;
}

/** Reads a task by built-in name or by folder; throws TaskError with everything that is wrong with it. */
export async function locateTask(io: Io, nameOrPath: string): Promise<Located> {
  const { packageRoot } = configOf(io);
  const builtin = join(packageRoot, 'tasks');
  const folder = await findTask(nameOrPath, { cwd: process.cwd(), builtin });
  const here = resolve(nameOrPath);
  if (existsSync(join(here, 'task.yaml')) && realpathSync(here) !== realpathSync(folder))
    printNote(io, `note: ${nameOrPath} is the known task in ${folder}; the one in this folder is ./${nameOrPath}`);
  // Workers may run from another checkout: what comes with Perpetua goes by its name.
  return { loaded: await loadTask(folder), task: dirname(folder) === builtin ? basename(folder) : folder, folder };
}
