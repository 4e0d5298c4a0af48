import { useSyncExternalStore } from 'react';
import { lookAt, lookOf, type Look } from './look.ts';

const KEY = 'perpetua-look';
/** Interval between marks while a page is visible. */
const MARK_MS = 15_000;

let look: Look = lookAt(null, new Date());
const listeners = new Set<() => void>();

/** Marks in this browser's storage that a person looks, as long as the page is visible. The server stores nothing. */
export function startLooking(): void {
  mark();
  document.addEventListener('visibilitychange', mark);
  setInterval(() => {
    if (!document.hidden) mark();
  }, MARK_MS);
}

/** Stores the present look, which another tab of the browser may have begun. */
function mark(): void {
  const before = look;
  look = lookAt(lookOf(localStorage.getItem(KEY)), new Date());
  localStorage.setItem(KEY, JSON.stringify(look));
  if (look.since !== before.since) for (const listener of [...listeners]) listener();
}

/** Begin of the time that the person of this browser has not seen. */
export function useLook(): Pick<Look, 'since' | 'isFirst'> {
  const since = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => look.since,
  );
  return { since, isFirst: look.isFirst };
}
