import type { CallLedger } from '../gateway.ts';

/**
 * A ledger that completes calls before it begins the next one, so that a budget counts them. An agent may send its next
 * request as soon as it has the last byte of an answer.
 */
export function inOrder(ledger: CallLedger): CallLedger {
  const ending = new Set<Promise<void>>();
  const track = async (end: Promise<void>): Promise<void> => {
    ending.add(end);
    try {
      await end;
    } finally {
      ending.delete(end);
    }
  };
  return {
    begin: async (request, signal) => {
      await Promise.allSettled(ending);
      return await ledger.begin(request, signal);
    },
    end: (turn, answer) => track(ledger.end(turn, answer)),
    fail: (turn, error) => track(ledger.fail(turn, error)),
  };
}
