import { useEffect, useMemo, useState } from 'react';
import type { Order } from '../../../api/trials/rows.ts';
import { decodeDeltas } from '../../../../view/page/deltas.ts';
import { ofResearch, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { paramsOf, type TrialsView } from './trials-view.ts';

/** A list as a person left it, so that it is the same when they come back. */
export interface SavedList {
  shown: readonly number[];
  scrollTop: number;
  active: number | null;
}

const lefts = new Map<string, SavedList>();
const LEFTS_KEPT = 20;

/** The last counts of each research: a list that is drawn again has its filters above it at once, so that it lies where it lay. */
const lastFacets = new Map<string, Order['facets']>();

export const readSavedList = (path: string): SavedList | undefined => lefts.get(path);

export function saveList(path: string, left: SavedList): void {
  lefts.delete(path);
  lefts.set(path, left);
  for (const old of [...lefts.keys()].slice(0, -LEFTS_KEPT)) lefts.delete(old);
}

export const orderPath = (research: string, view: TrialsView): string =>
  withQuery(ofResearch(research, 'order'), paramsOf(view));

/** Numbers of the list that a person reads, and how far it is from the newest one. */
interface Held {
  shown: readonly number[];
  /** Trials that came since. */
  fresh: number;
  /** Whether it differs from the newest one at all. */
  behind: boolean;
}

/**
 * The list as it goes on when a newer one came. At its top it is the newer one. Below, nothing moves under the eyes of who
 * reads: it stays but for what came at its end, and says how many are new.
 */
export function keepPlaceInList(shown: readonly number[], newest: readonly number[], atTop: boolean): Held {
  if (atTop || startsWith(newest, shown)) return { shown: newest, fresh: 0, behind: false };
  const there = new Set(shown);
  return { shown, fresh: newest.reduce((sum, n) => sum + (there.has(n) ? 0 : 1), 0), behind: true };
}

const startsWith = (list: readonly number[], start: readonly number[]): boolean =>
  start.length <= list.length && start.every((n, at) => list[at] === n);

/** The numbers of the trials of a view: what is shown of them, and what is new since. */
export function useList(research: string, view: TrialsView, atTop: boolean) {
  const asked = orderPath(research, view);
  const { data, error, path } = useResource<Order>(asked, { research });
  const newest = useMemo(() => data && decodeDeltas(data.steps), [data]);
  const [held, setHeld] = useState<Held & { path: string | undefined }>(() => {
    const left = readSavedList(asked);
    return { shown: left?.shown ?? [], fresh: 0, behind: false, path: left ? asked : undefined };
  });
  useEffect(() => {
    if (!data || !newest) return;
    lastFacets.set(research, data.facets);
    setHeld((before) => {
      const next =
        before.path === path
          ? keepPlaceInList(before.shown, newest, atTop)
          : { shown: newest, fresh: 0, behind: false };
      return { ...next, path };
    });
  }, [data, newest, path, atTop, research]);
  return {
    ...held,
    facets: data?.facets ?? lastFacets.get(research),
    error,
    /** The address of the list that is shown; another one than was asked for while that is on its way. */
    path: held.path ?? asked,
    busy: held.path !== asked,
    showNewest: () => newest && setHeld({ shown: newest, fresh: 0, behind: false, path }),
  };
}
