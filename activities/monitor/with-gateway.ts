import { shapeOf } from '../../domain/job/shape-of.ts';
import type { CallLedger } from '../../infra/gateway.ts';
import { createCallLedger } from '../gateway/call-ledger.ts';
import type { FollowContext } from './follow-run.ts';

/** Calls of a run's agent, as this worker sees them. */
export interface AgentCalls {
  underWay: number;
  /** Time at which the last call began or ended, by `performance.now()`; 0: none yet. */
  lastAt: number;
}

/** Serves the model gateway to the run of an agent while `work` follows it. Other runs get none. */
export async function withGateway<T>(
  { deps, key, run }: Pick<FollowContext, 'deps' | 'key' | 'run'>,
  work: (calls: AgentCalls | null) => Promise<T>,
): Promise<T> {
  const { agent } = shapeOf(run.spec);
  if (agent === null) return work(null);
  const { store, models, gateway } = deps;
  const { calls, tokens, usd } = agent.limits;
  const limits = { calls, ...(tokens === null ? {} : { tokens }), ...(usd === null ? {} : { usd }) };
  const ledger = createCallLedger({
    store,
    trialId: agent.trialId,
    role: 'proposer',
    limits,
    priceOf: models.priceOf,
  });
  const seen: AgentCalls = { underWay: 0, lastAt: 0 };
  const open = await gateway.serve(key, counting(ledger, seen));
  try {
    return await work(seen);
  } finally {
    await open.close();
  }
}

/** A ledger that counts calls under way. */
function counting(ledger: CallLedger, seen: AgentCalls): CallLedger {
  const ended = (): void => {
    seen.underWay -= 1;
    seen.lastAt = performance.now();
  };
  return {
    begin: async (request) => {
      seen.lastAt = performance.now();
      const begun = await ledger.begin(request);
      if (!('refused' in begun)) seen.underWay += 1;
      return begun;
    },
    end: (turn, answer) => ledger.end(turn, answer).finally(ended),
    fail: (turn, error) => ledger.fail(turn, error).finally(ended),
  };
}
