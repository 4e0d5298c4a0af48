import type { TxStore } from '../../db/store.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';

/** A candidate's mutable files: path to text. */
type Files = Readonly<Record<string, string>>;
type Reads = { trial: Pick<TxStore['trial'], 'loadCandidateFiles'>; task: Pick<TxStore['task'], 'loadTaskFiles'> };

/**
 * A parent's mutable files, path to text, as a task version has them: one that was not mutable yet when the parent was
 * made is taken from the version's workspace, one that no longer is mutable is left out.
 */
export async function parentFiles(
  store: Reads,
  { parentId, version }: { parentId: string; version: TaskVersion },
): Promise<Record<string, string>> {
  const own = await store.trial.loadCandidateFiles(parentId);
  const [files = {}] = await withOriginals(store, { candidates: [own], version });
  return files;
}

/** The same for several candidates whose files are at hand, in their order. */
export async function withOriginals(
  store: Pick<Reads, 'task'>,
  { candidates, version }: { candidates: readonly Files[]; version: TaskVersion },
): Promise<Record<string, string>[]> {
  const { mutablePaths } = version;
  const isMissing = candidates.some((own) => mutablePaths.some((path) => own[path] === undefined));
  const workspace = isMissing ? await store.task.loadTaskFiles({ taskHash: version.hash, role: 'workspace' }) : [];
  const decode = new TextDecoder();
  const originals = new Map(
    workspace
      .filter(({ path }) => mutablePaths.includes(path))
      .map(({ path, content }) => [path, decode.decode(content)]),
  );
  return candidates.map((own) =>
    Object.fromEntries(
      mutablePaths.flatMap((path) => {
        const text = own[path] ?? originals.get(path);
        return text === undefined ? [] : [[path, text] as const];
      }),
    ),
  );
}
