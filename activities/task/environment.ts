import type { TaskVersion } from '../../db/task/task-version.ts';
import type { LockedPython } from '../../infra/python/environments.ts';
import type { ActivityDeps } from '../deps.ts';

type Deps = Pick<ActivityDeps, 'store' | 'environments' | 'hosts'>;
type Version = Pick<TaskVersion, 'hash' | 'task'>;

/** Reads the Python of a stored task; undefined if the task has no environment. */
export async function pythonOf(
  { store }: Pick<Deps, 'store'>,
  { hash, task: { environment } }: Version,
): Promise<LockedPython | undefined> {
  if (environment === undefined) return undefined;
  return { environment, files: await store.task.loadTaskFiles({ taskHash: hash, role: 'environment' }) };
}

/** The name of a task's environment among the stages of a host; undefined if the task has no environment. */
export async function environmentOn(deps: Deps, version: Version, host: string): Promise<string | undefined> {
  const python = await pythonOf(deps, version);
  return python && deps.environments.nameOn(deps.hosts.computeOf(host), python);
}
