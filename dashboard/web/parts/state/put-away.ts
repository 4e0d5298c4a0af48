import { useSyncExternalStore } from 'react';
import type { Attention } from '../../../api/shared.ts';

/** Storage key of the entries that were put away in this browser. */
const KEY = 'perpetua-put-away';
/** Most entries that are remembered; the oldest are forgotten first. */
const MOST = 200;

type Named = Pick<Attention, 'key' | 'fingerprint' | 'at'>;

/** The name of an entry that was put away, and the time, in ISO 8601, up to which its beginnings are hidden. */
type Mark = [name: string, until: string];

/** Name of an entry in the storage: another cause under the same key is another entry. */
const nameOf = ({ key, fingerprint }: Named): string => JSON.stringify([key, fingerprint]);

const isMark = (value: unknown): value is Mark =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');

/** Marks that a text of the storage holds; none if it was damaged. */
function marksIn(text: string | null): Mark[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isMark) : [];
  } catch {
    return [];
  }
}

/** The text with an entry that is put away now. The clock of the browser may be behind the entry's beginning. */
export function withEntry(text: string | null, entry: Named, now: Date): string {
  const at = now.toISOString();
  const until = entry.at !== null && entry.at > at ? entry.at : at;
  const others = marksIn(text).filter(([name]) => name !== nameOf(entry));
  return JSON.stringify([...others, [nameOf(entry), until]].slice(-MOST));
}

/** The text without these entries. */
export function withoutEntries(text: string | null, entries: readonly Named[]): string {
  const gone = entries.map(nameOf);
  return JSON.stringify(marksIn(text).filter(([name]) => !gone.includes(name)));
}

/**
 * Splits entries into those that are shown and those that were put away. An entry that began after it was put away has
 * ended and happened again, so it is shown.
 */
export function splitPutAway<Entry extends Named>(
  entries: readonly Entry[],
  text: string | null,
): { shown: Entry[]; away: Entry[] } {
  const marks = new Map(marksIn(text));
  const isAway = (entry: Entry): boolean => {
    const until = marks.get(nameOf(entry));
    return until !== undefined && (entry.at === null || entry.at <= until);
  };
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
    putAway: (entry: Entry) => write(withEntry(read(), entry, new Date())),
    bringBack: (away: readonly Entry[]) => write(withoutEntries(read(), away)),
  };
}
