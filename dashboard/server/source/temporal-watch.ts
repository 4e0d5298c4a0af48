import type { TemporalPulse } from '../../../view/pulse.ts';

/** Least time between two questions, however many tabs are open. */
const EVERY_MS = 10_000;
/** Longest wait for an answer. */
const DEADLINE_MS = 3000;

export interface TemporalWatch {
  /** Returns the newest answer at once. If it is older than 10 s, asks again; nothing asks while no tab is open. */
  look: () => TemporalPulse;
}

/** Reads the age of the oldest workflow task within a time; null if this process has no access to Temporal. */
export type ReadBacklog = (options: { withinMs: number }) => Promise<number | null>;

/** Watches if Temporal answers, and for how long a workflow task waits for a worker. */
export function createTemporalWatch(
  readBacklog: ReadBacklog,
  { clock = () => performance.now(), withinMs = DEADLINE_MS }: { clock?: () => number; withinMs?: number } = {},
): TemporalWatch {
  let latest: TemporalPulse = { state: 'unknown', oldestTaskSeconds: null };
  let askedAt = -Infinity;
  const ask = async (): Promise<void> => {
    try {
      const seconds = await readBacklog({ withinMs });
      latest = { state: seconds === null ? 'unknown' : 'answers', oldestTaskSeconds: seconds };
    } catch {
      latest = { state: 'silent', oldestTaskSeconds: null };
    }
  };
  return {
    look: () => {
      if (clock() - askedAt >= EVERY_MS) {
        askedAt = clock();
        void ask();
      }
      return latest;
    },
  };
}
