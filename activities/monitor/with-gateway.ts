import { shapeOf } from '../../domain/job/shape-of.ts';
import type { CallLedger } from '../../infra/gateway.ts';
import { createCallLedger } from '../gateway/call-ledger.ts';
import type { FollowContext } from './follow-run.ts';

/** Calls of a run's agent, as this worker sees them. */
export interface AgentCalls {
  /** Number of requests in progress, those included with which the gateway waits for a busy endpoint. */
  underWay: () => number;
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
  const last = { at: 0 };
  const open = await gateway.serve(key, noting(ledger, last));
  const seen: AgentCalls = {
    underWay: open.active,
    get lastAt() {
      return last.at;
    },
  };
  try {
    return await work(seen);
  } finally {
    await open.close();
  }
}

/** A ledger that notes the time at which a call begins or ends. */
function noting(ledger: CallLedger, last: { at: number }): CallLedger {
  const note = (): void => {
    last.at = performance.now();
  };
  return {
    begin: (request) => {
      note();
      return ledger.begin(request);
    },
    end: (turn, answer) => ledger.end(turn, answer).finally(note),
    fail: (turn, error) => ledger.fail(turn, error).finally(note),
  };
}
