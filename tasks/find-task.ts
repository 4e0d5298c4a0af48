import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { nearestKey } from '../domain/text/nearest-key.ts';
import { TEMPLATES } from './catalog.ts';
import { TaskError } from './task-error.ts';

export interface Places {
  /** Working directory of the command. Paths are relative to it, and its folder `tasks/` is searched first. */
  cwd: string;
  /** The folder of the tasks that come with the program. */
  builtin: string;
}

/** A task with a name under which it can be found. */
export interface KnownTask {
  name: string;
  folder: string;
}

/**
 * Lists all tasks that can be found by name, sorted by name. A task in `cwd/tasks` hides one that comes with the
 * program.
 */
export async function listTasks({ cwd, builtin }: Places): Promise<KnownTask[]> {
  const known = new Map<string, string>();
  for (const parent of [builtin, join(cwd, 'tasks')]) {
    for (const name of await readdir(parent).catch(() => [])) {
      if (await isTask(join(parent, name))) known.set(name, join(parent, name));
    }
  }
  return [...known].map(([name, folder]) => ({ name, folder })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** True for a task that is no template of `init`. */
export const isNoTemplate =
  ({ builtin }: Pick<Places, 'builtin'>) =>
  ({ folder }: KnownTask): boolean =>
    !TEMPLATES.some((name) => folder === join(builtin, name));

/**
 * Returns the absolute folder of a task, given by its name, or by a path to its folder or its task.yaml. Throws a
 * TaskError that lists the known tasks.
 */
export async function findTask(nameOrPath: string, places: Places): Promise<string> {
  const path = resolve(places.cwd, nameOrPath);
  const isName = /^[\w][\w.-]*$/.test(nameOrPath);
  const known = await listTasks(places);
  const named = isName ? known.find(({ name }) => name === nameOrPath) : undefined;
  if (named) return named.folder;
  if (nameOrPath !== '' && (await isTask(path))) return path;
  if (basename(path) === 'task.yaml' && (await isFile(path))) return dirname(path);
  const given = { path, names: await readdir(path).catch(() => null) };
  throw notFound(nameOrPath, given, known.filter(isNoTemplate(places)));
}

const isTask = (folder: string): Promise<boolean> => isFile(join(folder, 'task.yaml'));
const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() === true;

/** The path that was given, with the names of its files; null if it is no folder. */
interface GivenPath {
  path: string;
  names: string[] | null;
}

function notFound(nameOrPath: string, { path, names: inside }: GivenPath, known: readonly KnownTask[]): TaskError {
  const names = known.map(({ name }) => name);
  const nearest = nearestKey(nameOrPath, names);
  const misnamed = nearestKey('task.yaml', inside ?? []);
  const list = names.join(', ') || 'none';
  const quoted = JSON.stringify(nameOrPath);
  const expected = `a folder with a task.yaml, or one of the known tasks: ${list}`;
  const got = inside ? `the folder ${path} has no file task.yaml` : `there is no folder ${path}`;
  const todo = todoFor(nearest, misnamed);
  const message = `There is no task ${quoted}: it is no known task (${list}), and ${got}. ${todo}`;
  const issue = { file: nameOrPath, path: '(top)', line: null, column: null, expected, got, nearest, todo, message };
  return new TaskError([issue], { message });
}

function todoFor(nearest: string | null, misnamed: string | null): string {
  if (misnamed === 'task.yaml') return 'Its task.yaml is no regular file: replace it by one';
  if (misnamed !== null) return `Rename its ${misnamed} to task.yaml`;
  if (nearest !== null) return `Did you mean ${nearest}?`;
  return 'Name a folder with a task.yaml, or write one: npx perpetua init DIR';
}
