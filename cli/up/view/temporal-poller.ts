import type { TemporalState } from '../../temporal/read-temporal-state.ts';

/** Least interval between two reads: each read covers every open trial. */
const EVERY_MS = 5000;

/**
 * Makes a poller that reads from Temporal in the background, one read at a time. Each call returns the last answer;
 * null before the first.
 */
export function createTemporalPoller(
  ask: (trialIds: string[]) => Promise<TemporalState>,
  now: () => number = () => performance.now(),
): (trialIds: string[]) => TemporalState | null {
  let last: TemporalState | null = null;
  let isReading = false;
  let readAt = -Infinity;
  return (trialIds) => {
    if (!isReading && now() - readAt >= EVERY_MS) {
      isReading = true;
      readAt = now();
      void ask(trialIds).then((answer) => {
        last = answer;
        isReading = false;
      });
    }
    return last;
  };
}
