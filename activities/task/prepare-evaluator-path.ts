import type { ActivityDeps } from '../deps.ts';
import { buildEnvironment } from './build-environment.ts';
import { pythonOf } from './environment.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';

/**
 * Returns the folders that come first on the PATH of a task's evaluator, on this machine: the programs of its Python,
 * which is built if it is missing, then the folders of `run.path`.
 */
export async function prepareEvaluatorPath(
  deps: Pick<ActivityDeps, 'store' | 'environments' | 'hosts'>,
  version: Pick<TaskVersion, 'hash' | 'task'>,
  signal: AbortSignal,
): Promise<string[]> {
  const { path } = version.task.run;
  const python = await pythonOf(deps, version);
  if (python === undefined) return path;
  const { environments } = deps;
  const host = environments.ownHost;
  await buildEnvironment(deps, version, { host, onOutput: () => undefined, signal });
  return [environments.binHere(await environments.nameOn(deps.hosts.computeOf(host), python)), ...path];
}
