import type { LoadedTask } from '../../tasks/load.ts';
import type { ActivityDeps } from '../deps.ts';
import { readTask } from './read-task.ts';
import { refuse } from './refuse.ts';

/** True for the hash of a task version. No name or path of a task has this form. */
const isVersionHash = (task: string): boolean => /^[0-9a-f]{64}$/.test(task);

/** Reads a task as its folder is now, or the version with this hash that a research has stored. */
export async function readTaskOrVersion(
  deps: Pick<ActivityDeps, 'tasks' | 'store'>,
  task: string,
): Promise<LoadedTask> {
  if (!isVersionHash(task)) return readTask(deps, task);
  const { task: tasks } = deps.store;
  if (!(await tasks.hasTaskVersion(task)))
    throw refuse(`task: expected the hash of a task version in this database, got ${task}`, 'BadTask');
  const version = await tasks.loadTaskVersion(task);
  const filesOf = async (role: 'workspace' | 'evaluator' | 'environment') =>
    (await tasks.loadTaskFiles({ taskHash: task, role })).map((file) => ({ executable: false, ...file }));
  const environmentFiles = await filesOf('environment');
  return {
    ...version,
    workspace: await filesOf('workspace'),
    evaluatorFiles: await filesOf('evaluator'),
    ...(environmentFiles.length > 0 && { environmentFiles }),
    folder: '',
    positionOf: () => null,
  };
}
