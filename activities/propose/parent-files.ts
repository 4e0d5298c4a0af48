import type { TaskVersion } from '../../db/task/task-version.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * A parent's mutable files, path to text, as a task version has them: one that was not mutable yet when the parent was
 * made is taken from the version's workspace, one that no longer is mutable is left out.
 */
export async function parentFiles(
  store: ActivityDeps['store'],
  { parentId, version }: { parentId: string; version: TaskVersion },
): Promise<Record<string, string>> {
  const own = await store.trial.loadCandidateFiles(parentId);
  const isMissing = version.mutablePaths.some((path) => own[path] === undefined);
  const workspace = isMissing ? await store.task.loadTaskFiles({ taskHash: version.hash, role: 'workspace' }) : [];
  const decode = new TextDecoder();
  return Object.fromEntries(
    version.mutablePaths.flatMap((path) => {
      const original = workspace.find((file) => file.path === path)?.content;
      const text = own[path] ?? (original && decode.decode(original));
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}
