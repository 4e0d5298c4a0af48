import type { Store } from '../db/store.ts';
import type { CandidateFiles } from '../db/trial/candidate.ts';
import type { StoredFile } from '../db/task/task-version.ts';

/** Candidates that are kept: they are small, and a parent is edited many times in a row. */
const CANDIDATES = 32;
/** Task versions whose lock and mutable files are kept: each launch reads them. */
const VERSIONS = 32;

/** Store that reads rows which never change (task versions, some of their files, candidates) only once. */
export function cacheImmutableReads(store: Store): Store {
  const locks = once(keepLast<StoredFile[]>(VERSIONS), (taskHash) =>
    store.task.loadTaskFiles({ taskHash, role: 'environment' }),
  );
  const loadCandidate = once(keepLast<CandidateFiles>(CANDIDATES), store.trial.loadCandidate);
  return {
    ...store,
    task: {
      ...store.task,
      loadTaskVersion: once(keepLast(Infinity), store.task.loadTaskVersion),
      loadOriginals: once(keepLast(VERSIONS), store.task.loadOriginals),
      listWorkspace: once(keepLast(VERSIONS), store.task.listWorkspace),
      loadTaskFiles: (input) =>
        input.role === 'environment' ? locks(input.taskHash) : store.task.loadTaskFiles(input),
    },
    trial: {
      ...store.trial,
      loadCandidate,
      loadCandidateFiles: async (id) => (await loadCandidate(id)).files,
    },
  };
}

interface Kept<T> {
  get: (key: string) => Promise<T> | undefined;
  set: (key: string, value: Promise<T>) => void;
  delete: (key: string) => void;
}

/** A map that drops the least recently used entry. */
function keepLast<T>(most: number): Kept<T> {
  const kept = new Map<string, Promise<T>>();
  const set = (key: string, value: Promise<T>): void => {
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  };
  return {
    get: (key) => {
      const found = kept.get(key);
      if (found) set(key, found);
      return found;
    },
    set,
    delete: (key) => void kept.delete(key),
  };
}

/** Loads each key once; a failed load is not kept. */
function once<T>(kept: Kept<T>, load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  return (key) => {
    const known = kept.get(key);
    if (known) return known;
    const loading = load(key);
    kept.set(key, loading);
    loading.catch(() => kept.delete(key));
    return loading;
  };
}
