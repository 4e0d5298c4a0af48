import type { TxStore } from '../../db/store.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import { matchesCreate } from '../../domain/edit/scope/edit-scope.ts';

type Reads = { trial: Pick<TxStore['trial'], 'loadCandidate'>; task: Pick<TxStore['task'], 'loadOriginals'> };

/**
 * Reads a parent's files, path to text: those at the mutable paths of a task version, and new files that the version
 * allows. A file that was not yet mutable when the parent was made comes from the version's workspace. A file that is
 * no longer mutable is left out, and so is one that the parent deleted.
 */
export async function parentFiles(
  store: Reads,
  { parentId, version }: { parentId: string; version: TaskVersion },
): Promise<Record<string, string>> {
  const { mutablePaths, task } = version;
  const { files: stored, deleted } = await store.trial.loadCandidate(parentId);
  const wanted = mutablePaths.filter((path) => !deleted.includes(path));
  const isPartial = wanted.some((path) => stored[path] === undefined);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const originals = new Map(
    (isPartial ? await store.task.loadOriginals(version.hash) : []).map(({ path, content }) => [
      path,
      decoder.decode(content),
    ]),
  );
  const created = Object.entries(stored).filter(
    ([path]) => !mutablePaths.includes(path) && matchesCreate(path, task.edits),
  );
  const mutable = wanted.flatMap((path) => {
    const text = stored[path] ?? originals.get(path);
    return text === undefined ? [] : [[path, text] as const];
  });
  return Object.fromEntries([...mutable, ...created]);
}
