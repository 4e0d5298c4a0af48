import type { Failure } from '../../../domain/trial.ts';
import type { AgentCalls } from '../with-gateway.ts';

export interface Stall {
  /** Records that the agent printed something. */
  printed: () => void;
  /** The reason to stop the agent; null while it is not silent for too long. */
  find: () => Failure | null;
}

/**
 * Finds an agent that neither prints nor asks a model for `seconds`, while no call is under way: an agent that waits
 * for a model does not stall. The time begins anew with each worker that follows the run.
 */
export function createStall(
  { calls, seconds }: { calls: AgentCalls; seconds: number },
  now: () => number = () => performance.now(),
): Stall {
  let last = now();
  return {
    printed: () => (last = now()),
    find: () => {
      if (calls.underWay() > 0) last = now();
      const silent = (now() - Math.max(last, calls.lastAt)) / 1000;
      if (silent <= seconds) return null;
      const message = `it neither printed nor asked a model for ${seconds} s (search.proposer.stallSeconds)`;
      return { label: 'stalled', message };
    },
  };
}
