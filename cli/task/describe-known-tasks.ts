import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isNoTemplate, isShipped, listTasks } from '../../tasks/find-task.ts';

export interface DescribedTask {
  name: string;
  description: string;
  path: string;
  /** True for a user's task; false for a task that comes with Perpetua. */
  own: boolean;
}

/** Lists the tasks that are known by name, with their descriptions. Omits the templates of `init`. */
export async function describeKnownTasks(packageRoot: string): Promise<DescribedTask[]> {
  const builtin = join(packageRoot, 'tasks');
  const known = await listTasks({ cwd: process.cwd(), builtin });
  return Promise.all(
    known.filter(isNoTemplate({ builtin })).map(async ({ name, folder }) => ({
      name,
      description: await descriptionOf(folder),
      path: folder,
      own: !isShipped({ builtin })({ name, folder }),
    })),
  );
}

/** Description of a task. A broken task gets a hint at `check`, which shows its problems. */
async function descriptionOf(folder: string): Promise<string> {
  const yaml = await readFile(join(folder, 'task.yaml'), 'utf8');
  try {
    const { description } = (parse(yaml) ?? {}) as { description?: unknown };
    return typeof description === 'string' ? description : '(no description)';
  } catch {
    return `(not readable; see: npx perpetua check ${folder})`;
  }
}
