import { useSyncExternalStore } from 'react';
import type { Changed } from '../../api/live/stream.ts';

export type LiveState = 'connecting' | 'live' | 'away' | 'paused';

type Listener = (research: string | null) => void;

let state: LiveState = 'connecting';
let source: EventSource | undefined;
const stateListeners = new Set<() => void>();
const listeners = new Set<Listener>();

/** Opens the tab's stream of changes, and closes it while the tab is hidden. */
export function startLive(): void {
  const follow = () => (document.hidden ? close('paused') : open());
  document.addEventListener('visibilitychange', follow);
  follow();
}

/** Calls the listener with each research that changed; null: anything may have. Returns the way to unsubscribe. */
export function onChanged(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLive = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );

function open(): void {
  if (source) return;
  const opened = new EventSource('api/v1/stream');
  source = opened;
  // The stream does not repeat changes from before it opened, so everything is read once.
  opened.addEventListener('open', () => {
    setState('live');
    notify(null);
  });
  opened.addEventListener('error', () => setState('away'));
  opened.addEventListener('away', () => setState('away'));
  opened.addEventListener('back', () => {
    setState('live');
    notify(null);
  });
  opened.addEventListener('changed', (event) => {
    const { research } = JSON.parse((event as MessageEvent<string>).data) as Changed;
    notify(research);
  });
}

function close(next: LiveState): void {
  source?.close();
  source = undefined;
  setState(next);
}

function notify(research: string | null): void {
  for (const listener of [...listeners]) listener(research);
}

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const listener of [...stateListeners]) listener();
}
