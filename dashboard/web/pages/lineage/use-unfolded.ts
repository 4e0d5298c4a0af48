import { useCallback, useState } from 'react';
import type { Tree } from '../../../api/tree.ts';
import { fetchJson, researchPath, withQuery, type FetchError } from '../../data/fetch-json.ts';

export interface Folding {
  /** Candidates whose answer has not arrived. */
  waiting: ReadonlySet<string>;
  /** Candidates that are unfolded as far as the server allows. */
  done: ReadonlySet<string>;
  unfold: (candidateId: string) => void;
}

/** Parts of the tree that a person unfolded, as the server answered then. They are not read again. */
export function useUnfolded(research: string) {
  const [trees, setTrees] = useState<readonly Tree[]>([]);
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<FetchError | undefined>();
  const unfold = useCallback(
    (candidateId: string) => {
      const setIsWaiting = (isWaiting: boolean) =>
        setWaiting((before) => {
          const after = new Set(before);
          if (isWaiting) after.add(candidateId);
          else after.delete(candidateId);
          return after;
        });
      setIsWaiting(true);
      void fetchJson<Tree>(withQuery(researchPath(research, 'tree'), { root: candidateId, depth: 2 }))
        .then((tree) => {
          setTrees((before) => [...before, tree]);
          setDone((before) => new Set([...before, candidateId]));
          setError(undefined);
        })
        .catch((failed: unknown) => setError(failed as FetchError))
        .finally(() => setIsWaiting(false));
    },
    [research],
  );
  return { trees, waiting, done, unfold, error };
}
