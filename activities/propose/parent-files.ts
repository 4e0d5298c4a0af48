import type { TxStore } from '../../db/store.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';

type Reads = { trial: Pick<TxStore['trial'], 'loadCandidateFiles'>; task: Pick<TxStore['task'], 'loadOriginals'> };

/**
 * Reads a parent's files, path to text, for the mutable paths of a task version. A file that was not yet mutable when
 * the parent was made comes from the version's workspace. A file that is no longer mutable is left out.
 */
export async function parentFiles(
  store: Reads,
  { parentId, version }: { parentId: string; version: TaskVersion },
): Promise<Record<string, string>> {
  const { mutablePaths } = version;
  const stored = await store.trial.loadCandidateFiles(parentId);
  const isPartial = mutablePaths.some((path) => stored[path] === undefined);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const originals = new Map(
    (isPartial ? await store.task.loadOriginals(version.hash) : []).map(({ path, content }) => [
      path,
      decoder.decode(content),
    ]),
  );
  return Object.fromEntries(
    mutablePaths.flatMap((path) => {
      const text = stored[path] ?? originals.get(path);
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}
