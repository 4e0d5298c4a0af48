import { isAbsolute } from 'node:path';
import { adviceFor } from '../../../domain/tools/advice.ts';
import { adviseEvaluatorRights } from '../../../domain/tools/evaluator-rights.ts';
import { findMissingTool } from '../../../domain/tools/find-missing-tool.ts';
import type { Task } from '../../../domain/task/task.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { configOf } from '../../context.ts';
import type { Io } from '../../io.ts';

/** The search runs programs, but no run of a task. */
const INSTALLATION = 'source-advice';
/** A shell's exit code for a command that it did not find. Assumed, so that shell messages count, too. */
const NOT_FOUND = 127;

/** Advice on an evaluator that failed with this log: the key of task.yaml that gives what it lacks. Null: none. */
export async function adviseEvaluator(io: Io, task: Task, log: string): Promise<string | null> {
  const { run, environment, evaluator } = task;
  if (evaluator.type === 'none') return null;
  const rights = adviseEvaluatorRights(log, evaluator);
  if (rights !== null) return rights;
  const missing = findMissingTool({ exitCode: NOT_FOUND, log });
  if (missing === null) return null;
  const { path, readable } = run;
  const { home, env } = configOf(io);
  const beside = (env.PATH ?? '').split(':').filter(isAbsolute);
  const finding = await createLocalCompute({ home, installation: INSTALLATION }).locateMissing(missing, {
    path,
    beside,
  });
  const lock = environment?.lock ?? null;
  const own = { readable: evaluator.readable ?? [] };
  return adviceFor(missing, finding, { path, readable, lock, machine: 'this machine', evaluator: own });
}
