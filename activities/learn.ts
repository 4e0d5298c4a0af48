import { ApplicationFailure, Context, log } from '@temporalio/activity';
import type { Update } from '../db/learning/updates.ts';
import type { Research } from '../db/research/research.ts';
import { updatePlanIn } from '../domain/search/update/table.ts';
import { choiceIn, factsOf } from '../domain/search/proposer/makers.ts';
import type { PolicyError } from '../infra/policy.ts';
import { droppable, checkpointSpaceShortage } from '../domain/learning/weights/droppable.ts';
import type { StepBatch } from '../domain/learning/step.ts';
import type { UpdatePlan } from '../domain/learning/plan.ts';
import { policyStartOf } from './learning/policy-base.ts';
import { isPolicyError } from './learning/is-policy-error.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { DOWN_AFTER_ATTEMPTS } from './propose/report-endpoint-down.ts';
import { endWithVersion, endWithoutVersion } from './learning/end-update.ts';
import { beginUpdate } from './learning/begin-update.ts';
import { gatherBatch } from './learning/gather-batch.ts';

export interface LearnInput {
  researchId: string;
  k: number;
}

/** Failed attempts of one step after which the research goes on with the version that it has. */
const MOST_FAILURES = 5;

const NO_PLAN = { state: 'empty', reason: 'the research does not learn any more' } as const;

export interface Learnt {
  /** Run id of the research workflow that is in charge; null if none is stored. */
  researchRun: string | null;
}

export const createLearnActivities = (deps: ActivityDeps) => ({
  /** Carries out one update of a policy. Safe to repeat: the trainer answers a finished step by its key. */
  learn: async ({ researchId, k }: LearnInput): Promise<Learnt> =>
    withHeartbeat(async (signal) => {
      const due = await deps.store.learning.findUpdate({ researchId, k });
      if (!due) throw new Error(`Expected update ${k} of ${researchId} in the database`);
      if (due.state === 'due') {
        const research = await loadResearch(deps, researchId);
        const plan = updatePlanIn(research.settings?.search ?? {});
        if (plan === null) await endWithoutVersion(deps, due, NO_PLAN);
        else await learnFrom({ deps, signal, research, plan }, due);
      }
      // Clears the outage however the update ended: after a halt no further call to the server would clear it.
      await deps.store.call.recordEndpoint({ researchId, down: null });
      return { researchRun: (await loadResearch(deps, researchId)).runId };
    }),
});

async function loadResearch({ store }: ActivityDeps, researchId: string): Promise<Research> {
  const research = await store.research.findResearch(researchId);
  if (!research) throw new Error(`Expected research ${researchId} in the database`);
  return research;
}

interface Learning {
  deps: ActivityDeps;
  signal: AbortSignal;
  research: Research;
  plan: UpdatePlan;
}

type Deps = Pick<ActivityDeps, 'store' | 'policy' | 'machine'>;

/** A first checkpoint of all weights is this many times as large as the base: the optimiser adds two averages. */
const FIRST_CHECKPOINT_FACTOR = 3;

/**
 * Throws a retryable failure if the checkpoint of a step could fill the disk, which Postgres and Temporal share; the
 * research shows the reason. A checkpoint is assumed to be as large as the one before it, and the first checkpoint of
 * low-rank weights to need no space.
 */
async function requireStepRoom(
  { store, policy, machine }: Deps,
  { researchId, batch: { stepKey, parent, base, adapter } }: { researchId: string; batch: StepBatch },
): Promise<void> {
  // An earlier attempt made the checkpoint.
  if ((await policy.checkpoints.bytes(policy.checkpoints.folder(stepKey))) > 0) return;
  const firstBytes =
    adapter.kind === 'full' ? FIRST_CHECKPOINT_FACTOR * (await policy.checkpoints.bytes(base.path)) : 0;
  const checkpointBytes = parent === null ? firstBytes : await policy.checkpoints.bytes(parent.path);
  const shortage = checkpointSpaceShortage((await machine.freeDisk()).bytes, checkpointBytes);
  if (shortage === null) return;
  await store.call.recordEndpoint({ researchId, down: `policy: ${shortage}` });
  throw ApplicationFailure.retryable(`policy: ${shortage}`, 'DiskFull');
}

async function learnFrom(learning: Learning, due: Update): Promise<void> {
  const { deps, signal, research, plan } = learning;
  const policyStart = await policyStartOf(deps, { researchId: research.id, base: baseOf(research) });
  const { model: base } = policyStart;
  try {
    const facts = await deps.policy.facts(base, signal);
    const start = await beginUpdate(learning, { due, policyStart });
    const gathered = await gatherBatch(learning, { start, facts, policyStart });
    if (gathered.batch === null) {
      await endWithoutVersion(deps, start, { state: 'empty', reason: gathered.reason, skipped: gathered.skipped });
      return;
    }
    await dropOld(deps, research.id, plan);
    await requireStepRoom(deps, { researchId: research.id, batch: gathered.batch });
    await deps.store.learning.noteStep({ ...due, stepKey: gathered.batch.stepKey });
    deps.reach('step-requested');
    const result = await deps.policy.step(gathered.batch, { base }, signal);
    deps.reach('step-done');
    await endWithVersion(learning, start, { ...gathered, result });
    deps.reach('update-stored');
    await dropOld(deps, research.id, plan);
  } catch (error) {
    if (!isPolicyError(error)) throw error;
    await endOrRetry(learning, due, error);
  }
}

/**
 * Removes the weights of old versions. Marks them as removed first, under the research's lock, so that no sample begins
 * to use them; then deletes them from the disk. The next call deletes what a worker that died left behind.
 */
export async function dropOld(
  deps: Pick<ActivityDeps, 'store' | 'policy' | 'reach'>,
  researchId: string,
  { keep, group }: Pick<UpdatePlan, 'keep' | 'group'>,
): Promise<void> {
  await deps.store.withResearch(researchId, async (tx) => {
    const { versions, inUse } = await tx.learning.readKeptVersions({ researchId, group });
    await tx.learning.markWeightsRemoved({ researchId, ks: droppable(versions, { keep, inUse }) });
  });
  deps.reach('weights-dropped');
  const { checkpoints } = deps.policy;
  for (const stepKey of await deps.store.learning.findRemovedWeights(await checkpoints.list()))
    try {
      await checkpoints.remove(stepKey);
    } catch (error) {
      // Learning goes on without it; the next update tries again.
      log.warn('a checkpoint could not be removed', { researchId, stepKey, error: String(error) });
    }
}

/**
 * Ends the update if its batch was refused, since it would be refused again, or if its step failed too often. Otherwise
 * throws a retryable failure, so that a server that is down is waited for.
 */
async function endOrRetry({ deps }: Learning, due: Update, { kind, message }: PolicyError): Promise<void> {
  const { store } = deps;
  const failures = kind === 'failed' ? await store.learning.noteFailedStep(due) : 0;
  const state = finalStateOf(kind, failures);
  if (state !== null) return endWithoutVersion(deps, due, { state, reason: message.slice(0, 2000) });
  const outage = `policy: ${message}`;
  if (kind === 'down' && Context.current().info.attempt >= DOWN_AFTER_ATTEMPTS)
    await store.call.recordEndpoint({ researchId: due.researchId, down: outage.slice(0, 500) });
  throw ApplicationFailure.create({ message: outage, type: kind === 'down' ? 'EndpointDown' : 'StepFailed' });
}

/** State of an update whose step is not tried again; null: the step is tried again. */
function finalStateOf(kind: PolicyError['kind'], failures: number): 'refused' | 'failed' | null {
  if (kind === 'refused') return 'refused';
  return failures >= MOST_FAILURES ? 'failed' : null;
}

/** The base that learns: the one that the research's proposer samples. */
function baseOf(research: Research): string {
  const [learner] = factsOf(choiceIn(research)).learners;
  const base = learner?.settings['base'];
  if (typeof base !== 'string')
    throw new Error(`Expected a proposer with a model that learns, got ${research.proposer}`);
  return base;
}
