import type { Left } from '../../domain/floor/left.ts';
import type { Handler } from './intake.ts';
import type { State } from './state.ts';

/** How a research hears of messages that were for a run before. */
export interface Hearing {
  receive: (name: string, raw?: unknown) => ReturnType<Handler>;
  alert: (words: string) => Promise<void>;
}

/**
 * Goes on as the run stood that older code had begun and that was ended. What people have asked of this run is newer: it
 * stays, but for a stop, which nothing takes back.
 */
export function goOn(state: State, left: Left, { receive, alert }: Hearing): void {
  if (left.stopping !== null) state.stopping = state.stopping === 'now' ? 'now' : left.stopping;
  if (left.paused && !state.toldToRun) {
    state.paused = true;
    state.activeSince = null;
  }
  for (const { signal, arg } of left.messages) void receive(signal, arg);
  if (left.dropped > 0)
    void alert(`${left.dropped} messages came while no worker was there, more than can be kept; send them again`);
}
