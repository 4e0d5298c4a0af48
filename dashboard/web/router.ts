import { useSyncExternalStore } from 'react';
import { hrefOf, parseAddress, type PageAddress } from './address.ts';

export { hrefOf };

const subscribe = (listener: () => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

/** The current address of the page. The component renders again when it changes. */
export function useAddress(): PageAddress {
  return parseAddress(useSyncExternalStore(subscribe, () => location.hash));
}

/** Changes parameters of the address. Adds no history entry, so the browser's Back leaves the page. */
export function setParams(changes: Record<string, string | number | null | undefined>): void {
  const { segments, params } = parseAddress(location.hash);
  history.replaceState(null, '', hrefOf(segments, { ...Object.fromEntries(params), ...changes }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
