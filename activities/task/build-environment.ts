import type { TaskVersion } from '../../db/task/task-version.ts';
import { LONGEST_BUILD_SECONDS } from '../../domain/fleet/preparing.ts';
import type { ActivityDeps } from '../deps.ts';
import { retrySetup } from '../launch/retry-setup.ts';
import { withTimeLimit } from '../launch/with-time-limit.ts';
import { pythonOf } from './environment.ts';

/** Builds a task's Python on a host that lacks it, with retries. Throws a non-retryable `SetupFailedError`. */
export async function buildEnvironment(
  deps: Pick<ActivityDeps, 'store' | 'environments' | 'hosts'>,
  version: Pick<TaskVersion, 'hash' | 'task'>,
  { host, signal, onOutput }: { host: string; signal: AbortSignal; onOutput: (line: string) => void },
): Promise<void> {
  const python = await pythonOf(deps, version);
  if (python === undefined) return;
  const seconds = LONGEST_BUILD_SECONDS;
  const tooLong =
    `environment.lock: expected ${python.environment.lock} to be installed on ${host} ` +
    `within ${seconds / 3600} hours; find out what delays it, for example a package that is compiled there`;
  await retrySetup(deps, { host, signal }, () =>
    withTimeLimit({ signal, seconds, tooLong }, (within) =>
      deps.environments.build(deps.hosts.computeOf(host), python, { ...within, onOutput }),
    ),
  );
}
