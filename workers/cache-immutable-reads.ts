import type { Store } from '../db/store.ts';
import type { StoredFile } from '../db/task/task-version.ts';

/** Candidates are small, and a parent is edited many times in a row. */
const CANDIDATES = 32;
/** Task versions whose lock and mutable files, which each launch asks for, are kept. */
const VERSIONS = 32;

/** The store, with what never changes once it is written (task versions, some of their files, candidates) read once. */
export function cacheImmutableReads(store: Store): Store {
  const candidates = keepLast<Record<string, string>>(CANDIDATES);
  const locks = once(keepLast<StoredFile[]>(VERSIONS), (taskHash) =>
    store.task.loadTaskFiles({ taskHash, role: 'environment' }),
  );
  return {
    ...store,
    task: {
      ...store.task,
      loadTaskVersion: once(keepLast(Infinity), store.task.loadTaskVersion),
      loadOriginals: once(keepLast(VERSIONS), store.task.loadOriginals),
      loadTaskFiles: (of) => (of.role === 'environment' ? locks(of.taskHash) : store.task.loadTaskFiles(of)),
    },
    trial: {
      ...store.trial,
      loadCandidateFiles: once(candidates, store.trial.loadCandidateFiles),
      saveProposal: async (input) => {
        const trial = await store.trial.saveProposal(input);
        candidates.set(input.candidate.id, Promise.resolve(input.candidate.files));
        return trial;
      },
    },
  };
}

interface Kept<T> {
  get: (key: string) => Promise<T> | undefined;
  set: (key: string, value: Promise<T>) => void;
  delete: (key: string) => void;
}

/** A map that forgets what was used longest ago. */
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

/** Loads each key once; a failure is not kept. */
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
