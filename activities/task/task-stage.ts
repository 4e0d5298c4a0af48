import type { FileContent } from '../../infra/compute.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import { secretText } from '../../domain/task/secret-text.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { prepareEvaluatorPath } from './prepare-evaluator-path.ts';

const drawsOf = ({ evaluator }: Task) => (evaluator.type === 'none' ? [] : (evaluator.draws ?? []));

/**
 * The secret with which a task's evaluator draws files, in hex; undefined if it draws none. All versions of the task
 * have the same secret, each installation another one. No run receives it.
 */
export function taskSecret({ scoring }: PickDeps<'scoring', 'hmac'>, task: Task): string | undefined {
  const text = secretText(task);
  return text === null ? undefined : scoring.hmac(text);
}

/** The name of a task's stage. If files are drawn, it differs between installations, which may share a host. */
export function stageOf(
  deps: PickDeps<'scoring', 'hmac'>,
  { stageHash, task }: Pick<TaskVersion, 'stageHash' | 'task'>,
): string {
  const secret = taskSecret(deps, task);
  return secret === undefined ? stageHash : `${stageHash}_${deps.scoring.hmac(`stage\n${secret}`).slice(0, 16)}`;
}

/**
 * Loads the files that all runs of a task share and that its setup sees: the immutable files, with drawn files in place
 * of those in the task's folder. For a task version that an older program stored (`stagesMutable`), all files: stages
 * with one name must be the same on each host.
 */
export async function loadStageFiles(
  deps: PickDeps<'scoring', 'hmac' | 'evaluator'> & Pick<ActivityDeps, 'store' | 'environments' | 'hosts'>,
  {
    hash,
    task,
    mutablePaths,
    stagesMutable = false,
  }: Pick<TaskVersion, 'hash' | 'task' | 'mutablePaths' | 'stagesMutable'>,
): Promise<FileContent[]> {
  const all: FileContent[] = await deps.store.task.loadTaskFiles({ taskHash: hash, role: 'workspace' });
  const files = all.filter(({ path }) => stagesMutable || !mutablePaths.includes(path));
  const secret = taskSecret(deps, task);
  if (secret === undefined || task.evaluator.type === 'none') return files;
  const evaluator = await deps.store.task.loadTaskFiles({ taskHash: hash, role: 'evaluator' });
  const drawn = new Map<string, Uint8Array>();
  const { timeoutSeconds } = task.evaluator;
  const programs = await prepareEvaluatorPath(deps, { hash, task }, new AbortController().signal);
  for (const { path, command } of drawsOf(task))
    drawn.set(
      path,
      await deps.scoring.evaluator.draw({ files: evaluator, command, path: programs, secret, timeoutSeconds }),
    );
  return files.map((file) => ({ ...file, content: drawn.get(file.path) ?? file.content }));
}
