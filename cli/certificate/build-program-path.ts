import { mkdir } from 'node:fs/promises';
import type { Task } from '../../domain/task/task.ts';
import type { FileContent } from '../../infra/compute.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { createEnvironments, type LockedPython } from '../../infra/python/environments.ts';
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
  return [(await buildEnvironment(io, { environment, files }, signal)).bin, ...run.path];
}

/** A Python environment on this machine: its stage, and the folder of its programs. */
export interface Installed {
  stage: string;
  bin: string;
}

/** Builds a Python environment on this machine if it is missing. */
export async function buildEnvironment(io: Io, python: LockedPython, signal: AbortSignal): Promise<Installed> {
  const { home, env, trainer } = configOf(io);
  await mkdir(home, { recursive: true });
  // Any installation id will do: all installations of a home share its staged environments.
  const compute = createLocalCompute({ home, installation: 'any' });
  const environments = createEnvironments({ env: installEnvironment(env), cache: trainer.cache });
  await environments.build(compute, python, { onOutput: () => undefined, signal });
  const stage = await environments.nameOn(compute, python);
  return { stage, bin: localEnvironmentBin(home, stage) };
}
