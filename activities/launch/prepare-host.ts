import type { TaskVersion } from '../../db/task/task-version.ts';
import { preparing } from '../../domain/fleet/preparing.ts';
import type { ActivityDeps } from '../deps.ts';
import { buildEnvironment } from '../task/build-environment.ts';
import { runSetup } from './run-setup.ts';
import { createWaitReporter } from './wait-reporter.ts';

interface Preparing {
  trialId: string;
  signal: AbortSignal;
}

/**
 * Builds the Python of a task's evaluator on this machine, where it runs whatever the host of the run: a trial that could not be scored
 * needs no run. A failure is no fault of that host.
 */
export async function prepareEvaluator(deps: ActivityDeps, version: TaskVersion, of: Preparing): Promise<void> {
  if (version.task.evaluator.type === 'none') return;
  await preparePython(deps, version, { ...of, host: deps.environments.ownHost });
}

/** Builds a task's Python on a host and runs its setup there, where they are missing; people see what it waits for. */
export async function prepareHost(
  deps: ActivityDeps,
  version: TaskVersion,
  on: Preparing & { host: string },
): Promise<void> {
  await preparePython(deps, version, on);
  const { setup, run } = version.task;
  if (!setup) return;
  const telling = createWaitReporter(deps, { trialId: on.trialId, what: preparing('setup', on.host) });
  const { host, signal } = on;
  await told(telling, () =>
    runSetup(deps, version, { host, signal, path: run.path, setup, onOutput: telling.onOutput }),
  );
}

async function preparePython(
  deps: ActivityDeps,
  version: TaskVersion,
  { trialId, host, signal }: Preparing & { host: string },
): Promise<void> {
  if (!version.task.environment) return;
  const telling = createWaitReporter(deps, { trialId, what: preparing('Python', host) });
  await told(telling, () => buildEnvironment(deps, version, { signal, host, onOutput: telling.onOutput }));
}

async function told(telling: ReturnType<typeof createWaitReporter>, work: () => Promise<void>): Promise<void> {
  await telling.begin();
  await work().finally(telling.end);
}
