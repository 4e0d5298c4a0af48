import { useSyncExternalStore } from 'react';
import type { Attention } from '../../../api/shared.ts';

/** Storage key of the entries that were put away in this browser. */
const KEY = 'perpetua-put-away';
/** Most entries that are remembered; the oldest are forgotten first. */
const MOST = 200;

type Named = Pick<Attention, 'key' | 'fingerprint'>;

/** Name of an entry in the storage: another cause under the same key is another entry. */
const nameOf = ({ key, fingerprint }: Named): string => JSON.stringify([key, fingerprint]);

/** Names that a text of the storage holds; empty if it was damaged. */
export function namesIn(text: string | null): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** The text with one more name. */
export const withName = (text: string | null, entry: Named): string =>
  JSON.stringify([...namesIn(text).filter((name) => name !== nameOf(entry)), nameOf(entry)].slice(-MOST));

/** The text without names of these entries. */
export const withoutNames = (text: string | null, entries: readonly Named[]): string => {
  const gone = entries.map(nameOf);
  return JSON.stringify(namesIn(text).filter((name) => !gone.includes(name)));
};

/** Splits entries into those that are shown and those that were put away. */
export function splitPutAway<Entry extends Named>(
  entries: readonly Entry[],
  text: string | null,
): { shown: Entry[]; away: Entry[] } {
  const names = new Set(namesIn(text));
  const isAway = (entry: Entry): boolean => names.has(nameOf(entry));
  return { shown: entries.filter((entry) => !isAway(entry)), away: entries.filter(isAway) };
}

const CHANGED = 'putawaychange';

function subscribe(listen: () => void): () => void {
  addEventListener(CHANGED, listen);
  addEventListener('storage', listen);
  return () => {
    removeEventListener(CHANGED, listen);
    removeEventListener('storage', listen);
  };
}

const read = (): string | null => localStorage.getItem(KEY);

function write(text: string): void {
  localStorage.setItem(KEY, text);
  dispatchEvent(new Event(CHANGED));
}

/** The entries that were put away in this browser, with the functions that change them. */
export function usePutAway<Entry extends Named>(entries: readonly Entry[]) {
  const text = useSyncExternalStore(subscribe, read);
  return {
    ...splitPutAway(entries, text),
    putAway: (entry: Entry) => write(withName(read(), entry)),
    bringBack: (away: readonly Entry[]) => write(withoutNames(read(), away)),
  };
}
