import { useCallback, useState } from 'react';
import type { Tree } from '../../../api/tree.ts';
import { fetchJson, ofResearch, withQuery, type FetchError } from '../../data/fetch-json.ts';

export interface Folding {
  /** Those of which an answer is on its way, and those that are unfolded as far as they can be. */
  waiting: ReadonlySet<string>;
  done: ReadonlySet<string>;
  unfold: (candidateId: string) => void;
}

/** Parts of the tree that a person unfolded, as they were then. */
export function useUnfolded(research: string) {
  const [trees, setTrees] = useState<readonly Tree[]>([]);
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<FetchError | undefined>();
  const unfold = useCallback(
    (candidateId: string) => {
      const wait = (on: boolean) =>
        setWaiting((before) => new Set(on ? [...before, candidateId] : [...before].filter((id) => id !== candidateId)));
      wait(true);
      void fetchJson<Tree>(withQuery(ofResearch(research, 'tree'), { root: candidateId, depth: 2 }))
        .then((tree) => {
          setTrees((before) => [...before, tree]);
          setDone((before) => new Set([...before, candidateId]));
          setError(undefined);
        })
        .catch((failed: unknown) => setError(failed as FetchError))
        .finally(() => wait(false));
    },
    [research],
  );
  return { trees, waiting, done, unfold, error };
}
