import { useSyncExternalStore } from 'react';

/** The width of the style sheets below which things stand below each other. */
const query = matchMedia('(max-width: 48rem)');

const subscribe = (heard: () => void) => {
  query.addEventListener('change', heard);
  return () => query.removeEventListener('change', heard);
};

/** Whether the window is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
