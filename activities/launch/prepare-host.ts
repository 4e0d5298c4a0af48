import type { TaskVersion } from '../../db/task/task-version.ts';
import { preparing } from '../../domain/fleet/preparing.ts';
import type { ActivityDeps } from '../deps.ts';
import { buildEnvironment } from '../task/build-environment.ts';
import { setUpInTries } from './set-up.ts';
import { tellWait } from './tell-wait.ts';

/** Builds a task's Python on a host and runs its setup there, where they are missing; people see what it waits for. */
export async function prepareHost(
  deps: ActivityDeps,
  version: TaskVersion,
  { trialId, host, signal }: { trialId: string; host: string; signal: AbortSignal },
): Promise<void> {
  const { setup, environment, run } = version.task;
  const on = { host, signal };
  // An evaluator runs here, whatever the host: better that it is found out now, where its Python cannot be built.
  const here = !environment || version.task.evaluator.type === 'none' ? [] : [deps.environments.ownHost];
  for (const at of environment ? new Set([host, ...here]) : []) {
    const telling = tellWait(deps, { trialId, what: preparing('Python', at) });
    await told(telling, () => buildEnvironment(deps, version, { signal, host: at, onOutput: telling.onOutput }));
  }
  if (!setup) return;
  const telling = tellWait(deps, { trialId, what: preparing('setup', host) });
  await told(telling, () => setUpInTries(deps, version, { ...on, path: run.path, setup, onOutput: telling.onOutput }));
}

async function told(telling: ReturnType<typeof tellWait>, work: () => Promise<void>): Promise<void> {
  await telling.begin();
  await work().finally(telling.end);
}
