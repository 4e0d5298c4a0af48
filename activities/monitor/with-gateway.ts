import { shapeOf } from '../../domain/job/shape-of.ts';
import type { FollowedRun } from '../../db/run/run.ts';
import type { RunRef } from '../../infra/compute.ts';
import type { CallLedger } from '../../infra/gateway.ts';
import { createCallLedger } from '../gateway/call-ledger.ts';
import type { ActivityDeps } from '../deps.ts';
import type { AgentCalls } from './follow/stall.ts';

/** Serves the model gateway to the run of an agent while `work` follows it. Other runs get none. */
export async function withGateway<T>(
  { deps, key, run }: { deps: ActivityDeps; key: RunRef; run: Pick<FollowedRun, 'spec'> },
  work: (calls: AgentCalls | null) => Promise<T>,
): Promise<T> {
  const { agent } = shapeOf(run.spec);
  if (agent === null) return work(null);
  const { store, models, gateway } = deps;
  const { calls, tokens, usd } = agent.limits;
  const limits = {
    calls,
    // Each run may fail anew: an agent runs again after its endpoint was down.
    failures: calls * (key.placement + 1),
    ...(tokens === null ? {} : { tokens }),
    ...(usd === null ? {} : { usd }),
  };
  const ledger = createCallLedger({
    store,
    trialId: agent.trialId,
    role: 'proposer',
    limits,
    priceOf: models.priceOf,
  });
  const reportUp = async (): Promise<void> => {
    const { researchId, arm } = await store.trial.loadTrial(agent.trialId);
    await store.call.recordEndpoint({ researchId, down: null });
    if (arm !== null) await store.research.markArmUp({ researchId, key: arm });
  };
  let lastAt = 0;
  const open = await gateway.serve(
    key,
    timing(onFirstAnswer(ledger, reportUp), () => (lastAt = performance.now())),
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
    begin: (request, signal) => {
      onTime();
      return ledger.begin(request, signal);
    },
    end: (turn, answer) => ledger.end(turn, answer).finally(onTime),
    fail: (turn, error) => ledger.fail(turn, error).finally(onTime),
  };
}

/** A ledger that does some work after the first answer that is no error. Work that fails is done after the next one. */
function onFirstAnswer(ledger: CallLedger, work: () => Promise<unknown>): CallLedger {
  let isDone = false;
  return {
    ...ledger,
    end: async (turn, answer) => {
      await ledger.end(turn, answer);
      if (isDone || answer.status < 200 || answer.status >= 300) return;
      isDone = true;
      // The answer is stored: if this failed the call, the agent would buy it again.
      await work().catch(() => (isDone = false));
    },
  };
}
