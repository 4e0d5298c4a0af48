import { useSyncExternalStore } from 'react';

/** Interval between updates of the ages on the page. */
const TICK_MS = 5000;

let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const tick = () => {
  if (document.hidden) return;
  now = new Date();
  for (const listener of [...listeners]) listener();
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time, from one clock for the whole page. The component renders again at each tick. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
