import { useEffect, useMemo, useState } from 'react';
import type { Order } from '../../../api/trials/rows.ts';
import { decodeDeltas } from '../../../../view/page/deltas.ts';
import { researchPath, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { paramsOf, type TrialsView } from './trials-view.ts';

/** State of a list that a person left, to restore it when they come back. */
export interface SavedList {
  shown: readonly number[];
  scrollTop: number;
  active: number | null;
}

/** Saved lists by their API path. */
const savedLists = new Map<string, SavedList>();
const LISTS_KEPT = 20;

/**
 * The last facets of each research. A list that is shown again has its filters at once, so that the rows below do not
 * move.
 */
const lastFacets = new Map<string, Order['facets']>();

export const readSavedList = (path: string): SavedList | undefined => savedLists.get(path);

export function saveList(path: string, list: SavedList): void {
  savedLists.delete(path);
  savedLists.set(path, list);
  for (const old of [...savedLists.keys()].slice(0, -LISTS_KEPT)) savedLists.delete(old);
}

export const orderPath = (research: string, view: TrialsView): string =>
  withQuery(researchPath(research, 'order'), paramsOf(view));

/** The list that is shown, and its difference from the newest list. */
interface ShownList {
  shown: readonly number[];
  /** Number of trials that only the newest list has. */
  fresh: number;
  /** True if the shown list differs from the newest list. */
  outdated: boolean;
}

/**
 * Decides which list to show after a newer list has arrived: at the top, or if the newer list only appends trials, the
 * newer list. Otherwise the shown list stays, so that no row moves while a person reads.
 */
export function keepPlaceInList(shown: readonly number[], newest: readonly number[], atTop: boolean): ShownList {
  if (atTop || startsWith(newest, shown)) return { shown: newest, fresh: 0, outdated: false };
  const known = new Set(shown);
  return { shown, fresh: newest.reduce((sum, n) => sum + (known.has(n) ? 0 : 1), 0), outdated: true };
}

const startsWith = (list: readonly number[], start: readonly number[]): boolean =>
  start.length <= list.length && start.every((n, at) => list[at] === n);

/** Reads the list of a view: the shown trial numbers, and the difference from the newest list. */
export function useList(research: string, view: TrialsView, atTop: boolean) {
  const requested = orderPath(research, view);
  const { data, error, path } = useResource<Order>(requested, { research });
  const newest = useMemo(() => data && decodeDeltas(data.steps), [data]);
  const [list, setList] = useState<ShownList & { path: string | undefined }>(() => {
    const saved = readSavedList(requested);
    return { shown: saved?.shown ?? [], fresh: 0, outdated: false, path: saved ? requested : undefined };
  });
  useEffect(() => {
    if (!data || !newest) return;
    lastFacets.set(research, data.facets);
    setList((before) => {
      const next =
        before.path === path
          ? keepPlaceInList(before.shown, newest, atTop)
          : { shown: newest, fresh: 0, outdated: false };
      return { ...next, path };
    });
  }, [data, newest, path, atTop, research]);
  return {
    ...list,
    facets: data?.facets ?? lastFacets.get(research),
    error,
    /** API path of the shown list: the previous list's while the requested one is being read. */
    path: list.path ?? requested,
    busy: list.path !== requested,
    showNewest: () => newest && setList({ shown: newest, fresh: 0, outdated: false, path }),
  };
}
