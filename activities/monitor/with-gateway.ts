import { shapeOf } from '../../domain/job/shape-of.ts';
import type { CallLedger } from '../../infra/gateway.ts';
import { createCallLedger } from '../gateway/call-ledger.ts';
import type { FollowContext } from './follow-run.ts';

/** Calls of a run's agent, as this worker sees them. */
export interface AgentCalls {
  /** Number of calls under way. A call that waits for a busy endpoint is one, although no row awaits its answer. */
  readonly underWay: number;
  /** Time at which the last call began or ended, by `performance.now()`; 0: none yet. */
  readonly lastAt: number;
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
  let lastAt = 0;
  const open = await gateway.serve(
    key,
    timing(ledger, () => (lastAt = performance.now())),
  );
  const seen: AgentCalls = {
    get underWay() {
      return open.active();
    },
    get lastAt() {
      return lastAt;
    },
  };
  try {
    return await work(seen);
  } finally {
    await open.close();
  }
}

/** A ledger that reports each time at which a call begins or ends. */
function timing(ledger: CallLedger, onTime: () => void): CallLedger {
  return {
    begin: (request) => {
      onTime();
      return ledger.begin(request);
    },
    end: (turn, answer) => ledger.end(turn, answer).finally(onTime),
    fail: (turn, error) => ledger.fail(turn, error).finally(onTime),
  };
}
