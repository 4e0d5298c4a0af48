import { mkdir } from 'node:fs/promises';
import type { Task } from '../../domain/task/task.ts';
import type { FileContent } from '../../infra/compute.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { createEnvironments } from '../../infra/python/environments.ts';
import { localEnvironmentBin } from '../../infra/python/local-environment-bin.ts';
import { installEnvironment } from '../../infra/trainer/tool-environment.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';

interface EvaluatorProgram {
  task: Task;
  /** Lock file of the task's Python environment; empty if the task has none. */
  environmentFiles: readonly FileContent[];
  signal: AbortSignal;
}

/**
 * Returns the folders that come first on the PATH of a task's evaluator, in a worker's order: the Python environment,
 * then run.path. Builds the environment if it is missing.
 */
export async function buildProgramPath(
  io: Io,
  { task, environmentFiles: files, signal }: EvaluatorProgram,
): Promise<string[]> {
  const { environment, run } = task;
  if (environment === undefined) return run.path;
  const { home, env, trainer } = configOf(io);
  await mkdir(home, { recursive: true });
  // Any installation id will do: all installations of a home share its staged environments.
  const compute = createLocalCompute({ home, installation: 'any' });
  const environments = createEnvironments({ env: installEnvironment(env), cache: trainer.cache });
  const python = { environment, files };
  await environments.build(compute, python, { onOutput: () => undefined, signal });
  const name = await environments.nameOn(compute, python);
  return [localEnvironmentBin(home, name), ...run.path];
}
