import { useCallback, useEffect, useRef, useState } from 'react';
import type { Candidates, CandidateRow } from '../../../../api/trials/candidates.ts';
import { fetchJson, researchPath, withQuery } from '../../../data/fetch-json.ts';
import { useResource } from '../../../data/use-resource.ts';
import { queryOf, type CandidatesView } from './candidates-view.ts';

/** Least time between two reads of the first page. */
const SPACING_MS = 3000;

/** Rows that were read so far, in order. */
interface Read {
  path: string;
  rows: readonly CandidateRow[];
  next: string | null;
}

/** Rows of two pages; a candidate that moved to the later page meanwhile is there once. */
export function joinPages(before: readonly CandidateRow[], page: readonly CandidateRow[]): CandidateRow[] {
  const known = new Set(before.map(({ candidateId }) => candidateId));
  return [...before, ...page.filter(({ candidateId }) => !known.has(candidateId))];
}

/**
 * Reads candidates page by page, as far as a person scrolls. The first page follows changes while a person is at the
 * top. Below, the rows stay where they are, and `outdated` says that there is a newer order.
 */
export function useCandidates(research: string, view: CandidatesView | null, atTop: boolean) {
  const path = view && withQuery(researchPath(research, 'candidates'), queryOf(view));
  const first = useResource<Candidates>(path, { research, spacingMs: SPACING_MS });
  const [read, setRead] = useState<Read>();
  const loading = useRef(false);
  const { data } = first;
  useEffect(() => {
    if (data === undefined || first.path === undefined) return;
    const from = first.path;
    setRead((before) => (before?.path === from && !atTop ? before : { path: from, rows: data.rows, next: data.next }));
  }, [data, first.path, atTop]);
  const loadMore = useCallback(() => {
    if (loading.current || read === undefined || read.next === null) return;
    loading.current = true;
    void fetchJson<Candidates>(`${read.path}&after=${encodeURIComponent(read.next)}`)
      .then(({ rows, next }) =>
        setRead((before) =>
          before?.path === read.path && before.next === read.next
            ? { ...before, rows: joinPages(before.rows, rows), next }
            : before,
        ),
      )
      .catch(() => undefined) // the banner reports that the server is away
      .finally(() => (loading.current = false));
  }, [read]);
  return {
    rows: read?.rows ?? [],
    hasMore: (read?.next ?? null) !== null,
    loadMore,
    data,
    error: first.error,
    busy: path !== null && read?.path !== path,
    outdated: data !== undefined && read?.path === first.path && !atTop && differs(data.rows, read?.rows ?? []),
  };
}

const differs = (newest: readonly CandidateRow[], shown: readonly CandidateRow[]): boolean =>
  newest.some(({ candidateId }, at) => shown[at]?.candidateId !== candidateId);
