import { useSyncExternalStore } from 'react';

/** The width up to which the style sheets stack the parts of a page. */
const query = matchMedia('(max-width: 48rem)');

const subscribe = (listener: () => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** True if the window is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
