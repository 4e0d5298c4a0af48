import { useSyncExternalStore } from 'react';
import { hrefOf, placeOf, type Place } from './place.ts';

export { hrefOf };

const subscribe = (heard: () => void) => {
  addEventListener('hashchange', heard);
  return () => removeEventListener('hashchange', heard);
};

/** The place of the page, which changes with the address. */
export function usePlace(): Place {
  return placeOf(useSyncExternalStore(subscribe, () => location.hash));
}

/** Changes parameters of the place; the step back leaves the page, it does not undo each of them. */
export function setParams(changes: Record<string, string | number | null | undefined>): void {
  const { segments, params } = placeOf(location.hash);
  history.replaceState(null, '', hrefOf(segments, { ...Object.fromEntries(params), ...changes }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
