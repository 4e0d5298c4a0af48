import type { Task } from '../../domain/task/task.ts';
import type { PickDeps } from '../deps.ts';
import { refuse } from './refuse.ts';

type Deps = PickDeps<'hosts', 'computeOf'> & PickDeps<'environments', 'ownHost'>;

/** Refuses a task whose evaluator could not read a folder of evaluator.readable on this machine. */
export async function requireEvaluatorFolders({ hosts, environments }: Deps, { evaluator }: Task): Promise<void> {
  const readable = evaluator.type === 'none' ? [] : (evaluator.readable ?? []);
  if (readable.length === 0) return;
  const problems = await hosts.computeOf(environments.ownHost).missingTools({ path: [], readable, requires: [] });
  // The adapter names the key of a run, whose user has the same rights as that of the evaluator.
  const named = problems.map((problem) => problem.replaceAll(/run\.(path, run\.)?readable/g, 'evaluator.readable'));
  if (named.length > 0) throw refuse(named.join('\n'), 'BadTask');
}
