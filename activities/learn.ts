import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Update } from '../db/learning/updates.ts';
import type { Research } from '../db/research/research.ts';
import type { UpdatePlan } from '../domain/search/update.ts';
import { planIn } from '../domain/search/update/table.ts';
import { methodOf } from '../domain/search/axis.ts';
import { choiceFor } from '../domain/search/proposer/choose.ts';
import { PROPOSERS } from '../domain/search/proposer/table.ts';
import type { PolicyError } from '../infra/policy.ts';
import { withHeartbeat } from './beat.ts';
import type { ActivityDeps } from './deps.ts';
import { endUpdate } from './learning/end-update.ts';
import { startOf } from './learning/start-of.ts';
import { gatherBatch } from './learning/gather-batch.ts';

export interface LearnInput {
  researchId: string;
  k: number;
}

/** Steps that failed before the research goes on with the version that it had. */
const MOST_FAILURES = 5;

export const createLearnActivities = (deps: ActivityDeps) => ({
  /** Carries out one update of a policy, once: a step that is done is answered by its key. */
  learn: async ({ researchId, k }: LearnInput): Promise<void> =>
    withHeartbeat(async (signal) => {
      const research = await deps.store.research.findResearch(researchId);
      const due = await deps.store.learning.findUpdate({ researchId, k });
      if (!research || !due) throw new Error(`Expected update ${k} of ${researchId} in the database`);
      if (due.state !== 'due') return;
      const plan = planIn(research.settings?.search ?? {});
      if (plan === null) throw new Error(`Expected ${researchId} to learn`);
      await learnFrom({ deps, signal, research, plan }, due);
    }),
});

interface Learning {
  deps: ActivityDeps;
  signal: AbortSignal;
  research: Research;
  plan: UpdatePlan;
}

async function learnFrom(of: Learning, due: Update): Promise<void> {
  const { deps, signal, research } = of;
  const base = baseOf(research);
  try {
    const facts = await deps.policy.facts(base, signal);
    const start = await startOf(of, { due, facts });
    const gathered = await gatherBatch(of, { start, facts, base });
    if (gathered.batch === null) {
      await endUpdate(of, start, { state: 'empty', reason: gathered.reason, skipped: gathered.skipped });
      return;
    }
    deps.reach('step-requested');
    const result = await deps.policy.step(gathered.batch, { base }, signal);
    deps.reach('step-done');
    await endUpdate(of, start, { state: 'done', result, ...gathered });
    deps.reach('update-stored');
    await deps.store.call.recordEndpoint({ researchId: research.id, down: null });
  } catch (error) {
    if (!isPolicyError(error)) throw error;
    await orGiveUp(of, due, error);
  }
}

/** A batch that is refused would be again, and so would a step that failed often; a server that is away is waited for. */
async function orGiveUp(of: Learning, due: Update, { kind, message }: PolicyError): Promise<void> {
  const { attempt } = Context.current().info;
  const gaveUp = kind === 'refused' ? 'refused' : kind === 'failed' && attempt >= MOST_FAILURES ? 'failed' : null;
  if (gaveUp !== null) return endUpdate(of, due, { state: gaveUp, reason: message.slice(0, 2000) });
  throw ApplicationFailure.create({
    message: `policy: ${message}`,
    type: kind === 'down' ? 'EndpointDown' : 'StepFailed',
  });
}

/** The model whose policy learns: what the proposer of the research samples. */
function baseOf({ proposer, settings }: Research): string {
  const search = settings?.search;
  const { settings: own } = methodOf('search.proposer', PROPOSERS, search ? choiceFor(proposer, search) : proposer);
  if (!('base' in own)) throw new Error(`Expected a proposer with a model that learns, got ${proposer}`);
  return own.base;
}

const isPolicyError = (error: unknown): error is PolicyError => error instanceof Error && error.name === 'PolicyError';
