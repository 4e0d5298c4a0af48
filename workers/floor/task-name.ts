import type { Config } from '../../config/load.ts';
import { findTask } from '../../tasks/find.ts';
import { loadTask } from '../../tasks/load.ts';

/** The name of a task by its name or path; null where none can be read there. */
export async function taskName(
  nameOrPath: string,
  { packageRoot }: Pick<Config, 'packageRoot'>,
): Promise<string | null> {
  try {
    const folder = await findTask(nameOrPath, { cwd: process.cwd(), builtin: `${packageRoot}/tasks` });
    return (await loadTask(folder)).task.name;
  } catch {
    return null;
  }
}
