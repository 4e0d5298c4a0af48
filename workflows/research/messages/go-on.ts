import { log, TemporalFailure } from '@temporalio/workflow';
import type { Left } from '../../../domain/floor/left.ts';
import type { Handler } from './intake.ts';
import type { State } from '../state.ts';

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
  // Temporal counts no handlers that it did not call itself.
  for (const { signal, arg } of left.messages) void counted(state, async () => receive(signal, arg));
  if (left.dropped > 0)
    void counted(state, () =>
      alert(`${left.dropped} messages came while no worker was there, more than can be kept; send them again`),
    );
}

async function counted(state: State, handle: () => Promise<void>): Promise<void> {
  state.handedOn += 1;
  try {
    await handle();
  } catch (error) {
    // A bug fails the workflow task, which goes on once it is mended.
    if (!(error instanceof TemporalFailure)) throw error;
    log.warn('a message for the run before could not be acted on', { researchId: state.id, error: String(error) });
  } finally {
    state.handedOn -= 1;
  }
}
