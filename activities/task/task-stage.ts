import type { FileContent } from '../../infra/compute.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import { secretText } from '../../domain/task/secret-text.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { prepareEvaluatorPath } from './prepare-evaluator-path.ts';

const drawsOf = ({ evaluator }: Task) => (evaluator.type === 'none' ? [] : (evaluator.draws ?? []));

/**
 * The secret that a task's evaluator draws by, in hex: the same for all versions of the task, another one in each installation;
 * undefined where it draws nothing. No run is given it.
 */
export function taskSecret({ scoring }: PickDeps<'scoring', 'hmac'>, task: Task): string | undefined {
  const text = secretText(task);
  return text === null ? undefined : scoring.hmac(text);
}

/** The name of a task's stage: installations that share a host must not meet in one that was drawn. */
export function stageOf(
  deps: PickDeps<'scoring', 'hmac'>,
  { stageHash, task }: Pick<TaskVersion, 'stageHash' | 'task'>,
): string {
  const secret = taskSecret(deps, task);
  return secret === undefined ? stageHash : `${stageHash}_${deps.scoring.hmac(`stage\n${secret}`).slice(0, 16)}`;
}

/**
 * The files of a task that all its runs have in common, and its setup sees: the immutable ones, those that are drawn in place of
 * what lies in the task's folder. Of a version that an older one stored all files: under one name a stage is the same on each host.
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
