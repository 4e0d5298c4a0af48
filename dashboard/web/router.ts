import { useSyncExternalStore } from 'react';
import { hrefOf, parseAddress, type PageAddress } from './address.ts';

export { hrefOf };

const subscribe = (heard: () => void) => {
  addEventListener('hashchange', heard);
  return () => removeEventListener('hashchange', heard);
};

/** The place of the page, which changes with the address. */
export function useAddress(): PageAddress {
  return parseAddress(useSyncExternalStore(subscribe, () => location.hash));
}

/** Changes parameters of the place; the step back leaves the page, it does not undo each of them. */
export function setParams(changes: Record<string, string | number | null | undefined>): void {
  const { segments, params } = parseAddress(location.hash);
  history.replaceState(null, '', hrefOf(segments, { ...Object.fromEntries(params), ...changes }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
