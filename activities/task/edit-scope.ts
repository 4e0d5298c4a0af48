import type { TxStore } from '../../db/store.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { UnusualFile } from '../../db/trial/candidate.ts';
import { creationProblem, type EditScope, removalProblem, scopeOf } from '../../domain/edit/scope/edit-scope.ts';

type Version = Pick<TaskVersion, 'hash' | 'task' | 'mutablePaths'>;

/** The scope of the edits of a task version. Reads the paths of its workspace only if the task allows new files. */
export async function editScopeOf(
  { task }: { task: Pick<TxStore['task'], 'listWorkspace'> },
  version: Version,
): Promise<EditScope> {
  const workspace = version.task.edits.create.length === 0 ? [] : await task.listWorkspace(version.hash);
  return scopeOf(
    version,
    workspace.map(({ path }) => path),
  );
}

/** Files in which candidates differ from a task version's workspace although the version does not allow it. */
export async function findFixedFiles(
  store: { task: Pick<TxStore['task'], 'listWorkspace'>; trial: Pick<TxStore['trial'], 'findImmutableFiles'> },
  { candidateIds, version }: { candidateIds: readonly string[]; version: Version },
): Promise<UnusualFile[]> {
  const { mutablePaths } = version;
  const found = await store.trial.findImmutableFiles({ candidateIds, mutablePaths });
  if (found.length === 0) return [];
  const scope = await editScopeOf(store, version);
  return found.filter(({ path, isDeleted }) =>
    isDeleted
      ? !mutablePaths.includes(path) || removalProblem(path, scope) !== null
      : creationProblem(path, scope) !== null,
  );
}
