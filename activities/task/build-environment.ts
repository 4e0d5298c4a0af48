import type { TaskVersion } from '../../db/task/task-version.ts';
import type { ActivityDeps } from '../deps.ts';
import { inTries } from '../launch/in-tries.ts';
import { pythonOf } from './environment.ts';

/** Builds a task's Python on a host where it is missing, in more tries than one; throws a `SetupFailedError`. */
export async function buildEnvironment(
  deps: Pick<ActivityDeps, 'store' | 'environments' | 'hosts'>,
  version: Pick<TaskVersion, 'hash' | 'task'>,
  on: { host: string; signal: AbortSignal; onOutput: (line: string) => void },
): Promise<void> {
  const python = await pythonOf(deps, version);
  if (python) await inTries(deps, on, () => deps.environments.build(deps.hosts.computeOf(on.host), python, on));
}
