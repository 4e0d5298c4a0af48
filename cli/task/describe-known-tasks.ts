import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isNoTemplate, isShipped, listTasks } from '../../tasks/find-task.ts';

export interface DescribedTask {
  name: string;
  description: string;
  path: string;
  /** Of one's own: it does not come with Perpetua. */
  own: boolean;
}

/** The tasks that go by a name, with what they say of themselves; the one that `init` copies is left out. */
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

/** A broken task is listed, too: `check` says what is wrong with it. */
async function descriptionOf(folder: string): Promise<string> {
  const yaml = await readFile(join(folder, 'task.yaml'), 'utf8');
  try {
    const { description } = (parse(yaml) ?? {}) as { description?: unknown };
    return typeof description === 'string' ? description : '(no description)';
  } catch {
    return `(not readable; see: npx perpetua check ${folder})`;
  }
}
