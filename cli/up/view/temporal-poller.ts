import type { TemporalState } from '../../temporal/read-temporal-state.ts';

/** Between two questions; Temporal looks at every trial under way each time. */
const EVERY_MS = 5000;

/** Asks Temporal beside a view, one question at a time, and gives its last answer; null before the first. */
export function createTemporalPoller(
  ask: (trialIds: string[]) => Promise<TemporalState>,
  now: () => number = () => performance.now(),
): (trialIds: string[]) => TemporalState | null {
  let last: TemporalState | null = null;
  let asking = false;
  let askedAt = -Infinity;
  return (trialIds) => {
    if (!asking && now() - askedAt >= EVERY_MS) {
      asking = true;
      askedAt = now();
      void ask(trialIds).then((answer) => {
        last = answer;
        asking = false;
      });
    }
    return last;
  };
}
