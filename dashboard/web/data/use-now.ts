import { useSyncExternalStore } from 'react';

/** How often ages on the page grow; in milliseconds. */
const TICK_MS = 5000;

let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const tick = () => {
  if (document.hidden) return;
  now = new Date();
  for (const heard of [...listeners]) heard();
};

function subscribe(heard: () => void): () => void {
  listeners.add(heard);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(heard);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The moment of now, from one clock for all; what asks for it is drawn again as it passes. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
