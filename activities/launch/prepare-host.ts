import type { TaskVersion } from '../../db/task/task-version.ts';
import { preparationWait } from '../../domain/fleet/preparing.ts';
import type { ActivityDeps } from '../deps.ts';
import { buildEnvironment } from '../task/build-environment.ts';
import { runSetup } from './run-setup.ts';
import { createWaitReporter } from './wait-reporter.ts';

interface PreparationInput {
  jobId: string;
  signal: AbortSignal;
}

/**
 * Builds the Python of a task's evaluator on this machine, where evaluators run. This comes before the run, since a
 * trial that cannot be scored needs no run. A failure is not held against the host of the run.
 */
export async function prepareEvaluator(
  deps: ActivityDeps,
  version: TaskVersion,
  { jobId, signal }: PreparationInput,
): Promise<void> {
  if (version.task.evaluator.type === 'none') return;
  await preparePython(deps, version, { jobId, signal, host: deps.environments.ownHost });
}

/**
 * Builds a task's Python on a host and runs its setup there, if they are missing. Meanwhile it stores, for people to
 * read, that the trial waits.
 */
export async function prepareHost(
  deps: ActivityDeps,
  version: TaskVersion,
  { jobId, host, signal }: PreparationInput & { host: string },
): Promise<void> {
  await preparePython(deps, version, { jobId, host, signal });
  const { setup, run } = version.task;
  if (!setup) return;
  const reporter = createWaitReporter(deps, { jobId, what: preparationWait('setup', host) });
  await withReport(reporter, () =>
    runSetup(deps, version, { host, signal, path: run.path, setup, onOutput: reporter.onOutput }),
  );
}

async function preparePython(
  deps: ActivityDeps,
  version: TaskVersion,
  { jobId, host, signal }: PreparationInput & { host: string },
): Promise<void> {
  if (!version.task.environment) return;
  const reporter = createWaitReporter(deps, { jobId, what: preparationWait('Python', host) });
  await withReport(reporter, () => buildEnvironment(deps, version, { signal, host, onOutput: reporter.onOutput }));
}

async function withReport(reporter: ReturnType<typeof createWaitReporter>, work: () => Promise<void>): Promise<void> {
  await reporter.begin();
  await work().finally(reporter.end);
}
