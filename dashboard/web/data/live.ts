import { useSyncExternalStore } from 'react';
import type { Changed } from '../../api/stream.ts';

export type LiveState = 'connecting' | 'live' | 'away' | 'paused';

type Listener = (research: string | null) => void;

let state: LiveState = 'connecting';
let source: EventSource | undefined;
const stateListeners = new Set<() => void>();
const listeners = new Set<Listener>();

/** One stream a tab. While the tab is hidden there is none: shown again, everything is read anew. */
export function startLive(): void {
  const follow = () => (document.hidden ? close('paused') : open());
  document.addEventListener('visibilitychange', follow);
  follow();
}

/** Hears which research changed; null: anything may have. */
export function onChanged(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLive = (): LiveState =>
  useSyncExternalStore(
    (heard) => {
      stateListeners.add(heard);
      return () => stateListeners.delete(heard);
    },
    () => state,
  );

function open(): void {
  if (source) return;
  const opened = new EventSource('api/v1/stream');
  source = opened;
  // What happened while nobody listened is not told again: read everything once.
  opened.addEventListener('open', () => {
    set('live');
    tell(null);
  });
  opened.addEventListener('error', () => set('away'));
  opened.addEventListener('away', () => set('away'));
  opened.addEventListener('back', () => {
    set('live');
    tell(null);
  });
  opened.addEventListener('changed', (event) => {
    const { research } = JSON.parse((event as MessageEvent<string>).data) as Changed;
    tell(research);
  });
}

function close(next: LiveState): void {
  source?.close();
  source = undefined;
  set(next);
}

function tell(research: string | null): void {
  for (const listener of [...listeners]) listener(research);
}

function set(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const heard of [...stateListeners]) heard();
}
